# Reads shards with the class that docs/shards.md shows, and prints what each record has.
# Usage: check_shards.py PAGE FOLDER, or check_shards.py --probe
import re
import sys

import numpy as np

if sys.argv[1] != "--probe":
    page = open(sys.argv[1]).read()
    exec(re.search(r"```python\n(.*?)```", page, re.S).group(1))
    shards = Shards(sys.argv[2])
    print(len(shards), ",".join(shards.classes))
    for i in range(len(shards)):
        arrays = shards[i]
        print(" ".join(f"{name}:{a.dtype}:{'x'.join(map(str, a.shape))}:{float(np.sum(a, dtype=np.float64)):g}"
                       for name, a in sorted(arrays.items())))
