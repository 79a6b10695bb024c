#!/bin/sh
# The command `mascot`: finds a runtime for what lies beside it.
f=$0
while [ -h "$f" ]; do
  l=$(readlink "$f") || break
  case $l in /*) f=$l ;; *) f=${f%/*}/$l ;; esac
done
d=$(CDPATH='' cd -- "$(dirname -- "$f")" && pwd) || exit 1
case $(node --version 2>/dev/null) in
v1[89].* | v[2-9][0-9].*) exec node "$d/mascot.mjs" "$@" ;;
esac
e=
[ -r "$d/runtime" ] && IFS= read -r e <"$d/runtime"
if [ -x "$e" ]; then
  export ELECTRON_RUN_AS_NODE=1 NODE_OPTIONS=
  exec "$e" "$d/mascot.mjs" "$@"
fi
echo 'mascot: needs Node.js 18 or later on the PATH, or the editor with the Agent Mascot extension: open the editor once, or install Node.js.' >&2
exit 1
