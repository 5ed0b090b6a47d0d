# Cuts a page of the documentation into the C++ program that it is.
#   awk -v program=FILE -f tools/cut_page.awk PAGE    writes the program, where errors are named by the page's lines
#   awk -f tools/cut_page.awk PAGE...                 only checks, and says how many blocks there are
# Run from the root of the sources. A program is what stands, in the page's order, in its blocks of C++, from ```cpp to
# ```, and in hidden ones, from <!-- cpp to -->. The line before a block that is no part of it says why:
#   <!-- from FILE -->         it stands in that file, word for word, which the build compiles
#   <!-- not run: REASON -->
# Exit status 1 with lines file:line: text when a block of C++ is none of these.

function wrong(line, text) {
  print page ":" line ": " text > "/dev/stderr"
  bad = 1
}
function emit(text) { if (program != "") print text > program }
function start_part() { emit("#line " FNR + 1 " \"" page "\"") }

function content_of(file,    line, text, found) {
  if (file in contents) return contents[file]
  text = "\n"
  while ((found = (getline line < file)) > 0) text = text line "\n"
  if (found == 0) close(file)
  return contents[file] = text
}
# Names the first line of the block that the file does not have.
function check_excerpt(    content, lines, count, i) {
  content = content_of(source)
  if (content == "\n") return wrong(start, "there is no file " source)
  if (index(content, "\n" excerpt)) return
  count = split(excerpt, lines, "\n")
  for (i = 1; i < count; i++)
    if (!index(content, "\n" lines[i] "\n")) return wrong(start + i, "this line is not in " source)
  wrong(start, "these lines do not stand together in " source)
}

# A comment that a block of C++ must follow.
function start_marker(what) {
  marker = what
  marker_line = FNR
}
function end_marker() {
  if (marker != "") wrong(marker_line, "a block that starts with ```cpp must follow in the next line")
  marker = ""
}

function start_cpp() {
  start = FNR
  if (marker == "not run") { left_out++; part = "fence" }
  else if (marker == "from") { excerpts++; excerpt = ""; part = "excerpt" }
  else { blocks++; if (!first_block) first_block = FNR; part = "cpp"; start_part() }
  marker = ""
}
function end_page() {
  if (page == "") return
  if (part != "") wrong(start, "this block has no end")
  end_marker()
  if (first_block && !hidden)
    wrong(first_block, "this block of C++ is in no program: add what it needs in <!-- cpp ... -->, or say why not by " \
      "<!-- not run: REASON --> or <!-- from FILE -->")
  if (hidden && !first_block) wrong(hidden, "hidden C++ on a page that shows none")
}

FNR == 1 {
  end_page()
  page = FILENAME
  part = ""
  hidden = first_block = 0
  emit("// Cut from " page " by tools/cut_page.awk: edit the page.")
}
part == "hidden" && /^-->$/ { part = ""; next }
part == "excerpt" && /^```$/ { part = ""; check_excerpt(); next }
part == "cpp" && /^```$/ { part = ""; next }
part == "fence" && /^ *```$/ { part = ""; next }
part == "hidden" || part == "cpp" { emit($0); next }
part == "excerpt" { excerpt = excerpt $0 "\n"; next }
part != "" { next }

/^```cpp$/ { start_cpp(); next }
{ end_marker() }
/^ *```/ {
  if (tolower($0) ~ /^ *``` *(c|cc|cpp|cxx|c\+\+|h|hpp)( .*)?$/)
    wrong(FNR, "write ```cpp, at the start of the line and nothing behind it")
  start = FNR
  part = "fence"
  next
}
/^<!-- cpp$/ { if (!hidden) hidden = FNR; start = FNR; part = "hidden"; start_part(); next }
/^<!-- from [^ ]+ -->$/ { source = $3; start_marker("from"); next }
/^<!-- not run: .+ -->$/ { start_marker("not run"); next }
/^ *<!-- *(cpp|from|not run)/ {
  wrong(FNR, "write <!-- cpp with --> in a line of its own, <!-- from FILE -->, or <!-- not run: REASON -->")
}
END {
  end_page()
  if (program == "")
    print "cut_page: " blocks + 0 " blocks of C++ are run, " excerpts + 0 " are the library's own lines, " \
      left_out + 0 " are not run"
  exit bad
}
