// Zip archives: round trips, and refusals of damaged and hostile ones.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/archive.h>
#include <cornu/framework/saving/keras_file.h>

#include <cstring>

#include "../../support/temporary.h"

namespace archive_test {

using namespace cornu;
using namespace cornu::io;
using namespace cornu::test;

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Bytes that do not compress well and differ everywhere.
std::string noise(size_t size) {
  std::string text(size, '\0');
  uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("ArchiveWriter and ArchiveReader round-trip members in order") {
  const TemporaryFolder folder;
  const std::string large = noise(3'000'001);
  spill(folder / "vocabulary.txt", "a\nb");
  ArchiveWriter writer(folder / "m.keras");
  writer.add_text("metadata.json", "{}");
  writer.add_text("empty", "");
  writer.add("weights", Bytes::of(large));
  writer.add("packed", Bytes::of(std::string(100'000, 'x')), Compression::deflate);
  writer.add_stream("stream", large.size(), [&](uint64_t offset, std::span<std::byte> out) {
    std::memcpy(out.data(), large.data() + offset, out.size());
  });
  writer.add_file("assets/vocabulary.txt", folder / "vocabulary.txt");
  CHECK_FALSE(std::filesystem::exists(folder / "m.keras"));
  writer.finish();
  CHECK(folder.count() == 2);

  ArchiveReader reader(folder / "m.keras");
  const auto& members = reader.members();
  REQUIRE(members.size() == 6);
  CHECK(members[0].name == "metadata.json");
  CHECK(members[5].name == "assets/vocabulary.txt");
  CHECK(members[2].stored == large.size());
  CHECK(members[3].size == 100'000);
  CHECK(members[3].stored < 1000);
  CHECK(text_of(reader.read("metadata.json")) == "{}");
  CHECK(reader.read("empty").empty());
  CHECK(text_of(reader.read("weights")) == large);
  CHECK(text_of(reader.read("packed")) == std::string(100'000, 'x'));
  CHECK(text_of(reader.read("assets/vocabulary.txt")) == "a\nb");
  CHECK(reader.has("stream"));
  CHECK_FALSE(reader.has("strea"));
}

TEST_CASE("ArchiveReader maps large stored members without a copy") {
  const TemporaryFolder folder;
  const std::string large = noise(3'000'001);
  {
    ArchiveWriter writer(folder / "m.keras");
    writer.add_text("first", "x");
    writer.add("weights", Bytes::of(large));
    writer.add("packed", Bytes::of(large), Compression::deflate);
    writer.finish();
  }
  Bytes mapped, packed, small;
  {
    ArchiveReader reader(folder / "m.keras");
    mapped = reader.map("weights");
    packed = reader.map("packed");
    small = reader.map("first");
    CHECK_THROWS_AS(reader.map("weights", 100), FileError);
  }
  CHECK(mapped.text() == large);
  CHECK(packed.text() == large);
  CHECK(small.text() == "x");
}

TEST_CASE("Equal content gives equal archives") {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    ArchiveWriter writer(folder / name);
    writer.add_text("config.json", "{}");
    writer.finish();
  }
  CHECK(slurp(folder / "a") == slurp(folder / "b"));
}

TEST_CASE("ArchiveWriter without finish, or with a failing member, leaves the old file") {
  const TemporaryFolder folder;
  spill(folder / "m.keras", "old");
  {
    ArchiveWriter writer(folder / "m.keras");
    writer.add_text("config.json", "{}");
  }
  {
    ArchiveWriter writer(folder / "m.keras");
    writer.add_stream("weights", 10, [](uint64_t, std::span<std::byte>) {
      throw ValueError("the weights are gone");
    });
    CHECK_THROWS_WITH(writer.finish(), "the weights are gone");
  }
  {
    ArchiveWriter writer(folder / "m.keras");
    CHECK_THROWS_AS(writer.finish(), StateError);
    CHECK_THROWS_AS(writer.add_file("a", folder / "absent"), FileError);
  }
  CHECK(slurp(folder / "m.keras") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("ArchiveReader names the file and what is wrong with it") {
  const TemporaryFolder folder;
  {
    ArchiveWriter writer(folder / "m.keras");
    writer.add_text("config.json", "{\"a\": 1}");
    writer.add("packed", Bytes::of(std::string(100'000, 'x')), Compression::deflate);
    writer.add_text("metadata.js", "[]");
    writer.finish();
  }
  const std::string good = slurp(folder / "m.keras");
  const std::filesystem::path bad = folder / "bad.keras";

  CHECK_THROWS_WITH(ArchiveReader(folder / "absent.keras"), contains("absent.keras"));
  CHECK_THROWS_WITH(ArchiveReader(folder.path()), contains("not a regular file"));
  spill(bad, "");
  CHECK_THROWS_WITH(ArchiveReader(bad), contains("is empty"));
  spill(bad, "hello, this is no archive");
  CHECK_THROWS_WITH(ArchiveReader(bad), contains("bad.keras' is not a zip archive"));
  spill(bad, good.substr(0, good.size() / 2));
  CHECK_THROWS_WITH(ArchiveReader(bad), contains("truncated"));

  SECTION("missing member and limits") {
    ArchiveReader reader(folder / "m.keras");
    CHECK_THROWS_WITH(reader.read("config"), contains("no member 'config'"));
    CHECK_THROWS_WITH(reader.read("packed", 99'999), contains("100000 bytes"));
  }
  SECTION("a damaged byte") {
    std::string text = good;
    text[text.find("\"a\"")] = 'X';
    spill(bad, text);
    ArchiveReader reader(bad);
    CHECK_THROWS_WITH(reader.read("config.json"), contains("config.json") && contains("CRC-32"));
    CHECK_THROWS_AS(reader.map("config.json"), FileError);
  }
  SECTION("two members of one name") {
    std::string text = good;
    replace_all(text, "metadata.js", "config.json");
    spill(bad, text);
    CHECK_THROWS_WITH(ArchiveReader(bad), contains("two members with the name 'config.json'"));
  }
  SECTION("names that point out of the archive") {
    for (const char* name :
         {"/tadata.js", "../adata.js", "a/../ta.js", "a\\tadata.js", "c:tadata.js"}) {
      std::string text = good;
      std::string full = name;
      full.resize(11, 's');
      replace_all(text, "metadata.js", full);
      spill(bad, text);
      CHECK_THROWS_WITH(ArchiveReader(bad), contains("out of the archive"));
    }
  }
  SECTION("every truncation and many damaged bytes end in FileError or a result") {
    for (size_t at = 0; at < good.size(); ++at) {
      for (const bool cut : {true, false}) {
        std::string text = good;
        if (cut)
          text.resize(at);
        else
          text[at] = static_cast<char>(text[at] ^ 0xff);
        spill(bad, text);
        try {
          ArchiveReader reader(bad);
          for (const ArchiveMember& member : reader.members()) reader.map(member.name, 1 << 20);
        } catch (const FileError&) {
        }
      }
    }
    SUCCEED();
  }
}

TEST_CASE("ArchiveReader refuses bombs") {
  const TemporaryFolder folder;
  ArchiveWriter writer(folder / "bomb");
  writer.add_stream(
      "zeros", uint64_t{100} << 20,
      [](uint64_t, std::span<std::byte> out) { std::memset(out.data(), 0, out.size()); },
      Compression::deflate);
  writer.finish();
  ArchiveReader reader(folder / "bomb");
  CHECK_THROWS_WITH(reader.read("zeros"), contains("200 times"));
}

TEST_CASE("an archive may have other bytes in front of it") {
  const TemporaryFolder folder;
  const std::filesystem::path plain = folder / "plain.zip", file = folder / "m.keras";
  const std::string large(3u << 20, 'x');
  {
    ArchiveWriter writer(plain);
    writer.add_text("config.json", "{}");
    writer.add_text("large", large);  // is mapped
    writer.finish();
  }
  const std::string archive = slurp(plain);
  for (const std::string& front : {std::string("#!/bin/sh\nexit\n"), std::string(100'000, '\0'),
                                   std::string("PK\3\4"), archive}) {
    spill(file, front + archive);
    ArchiveReader reader(file);
    CHECK(reader.members().size() == 2);
    CHECK(reader.read("config.json").size() == 2);
    CHECK(reader.map("large").text() == large);
    CHECK(saving::kind_of(file) == saving::FileKind::archive);
  }
  // Cut anywhere, or with a record that claims something else, it is refused or read as it is.
  const std::string small = [&] {
    ArchiveWriter writer(plain);
    writer.add_text("config.json", "{}");
    writer.finish();
    return "front" + slurp(plain);
  }();
  for (size_t at = 0; at < small.size(); ++at)
    for (const std::string& text : {small.substr(0, at), small.substr(at), [&] {
                                      std::string changed = small;
                                      changed[at] = static_cast<char>(changed[at] ^ 0x5b);
                                      return changed;
                                    }()}) {
      spill(file, text);
      try {
        ArchiveReader reader(file);
        for (const ArchiveMember& member : reader.members()) reader.read(member.name, 1000);
      } catch (const FileError&) {
      }
    }
}

}  // namespace archive_test
