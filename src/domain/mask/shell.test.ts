import { expect, test } from 'vitest';
import { readShell } from './shell.ts';
import { replaceSpans } from './span.ts';

const printing = [
  'cat .env', 'sudo cat /etc/app/.env', 'less ~/.aws/credentials', 'head -n 3 .env', 'tail -f .env', 'grep API .env', 'grep -r KEY . --include=x .env',
  'cat "$HOME/.ssh/id_rsa"', "sed -n '1,5p' .env", 'awk -F= \'{print $2}\' .env', 'type .env', 'Get-Content .env', 'gc C:\\app\\.env', 'bat .env.local',
  'cd app && cat .env', 'cat a.txt; cat .env', 'cat .env | sort', 'cat .env*', 'cat *.pem', 'jq . ~/.docker/config.json', 'base64 server.key', 'xxd id_rsa',
  'printenv', 'printenv API_KEY', 'env', 'env | grep TOKEN', 'set', 'export -p', 'export', 'declare -x', 'bash -lc "cat .env"', "ssh host 'cat .env'", 'ssh host cat .env',
  'docker exec web cat /app/.env', 'docker exec web env', 'kubectl get secret db -o yaml', 'kubectl exec pod -- printenv', 'gh auth token', 'aws configure get aws_secret_access_key',
  'gcloud auth print-access-token', 'git show HEAD:.env', 'git diff .env', 'find . -name .env -exec cat {} \\;', 'find . -name .env | xargs cat', 'while read l; do echo $l; done < .env',
  'echo $API_KEY', 'echo "token: ${GITHUB_TOKEN}"', 'echo x | tee .env', "python3 -c \"print(open('.env').read())\"", "node -e 'console.log(require(\"fs\").readFileSync(\".env\",\"utf8\"))'",
  'FOO=1 cat .env', 'timeout 5 cat .env', 'X=$(cat .env)', 'bash <<EOF\ncat .env\nEOF', 'dd if=id_rsa', 'ls env:', 'Get-ChildItem Env:', 'diff .env .env.example', 'cat src/a.ts .env',
];
const quiet = [
  'ls -la', 'ls .env', 'cat .env.example', 'cp .env.example .env', 'rm .env', 'chmod 600 .env', 'git add .env', 'git status', 'npm test', 'env FOO=1 node a.js', 'NODE_ENV=test npm run build',
  'set -e', 'set -euo pipefail', 'export FOO=1', 'source .env', '. .env', 'docker run --env-file .env image', 'node --env-file=.env app.js', 'grep -rn "\\.env" src', 'rg .env', 'ls -a | grep .env',
  'ssh -i key.pem host uptime', 'echo hello', 'echo $HOME', 'cat README.md', 'cat id_rsa.pub', 'test -f .env && echo yes', 'curl https://x.io', 'git log -p', 'cat package.json | jq .name', 'stat .env', 'wc -l .env',
];

test.each(printing)('MSK-1 prints secrets: %s', (command) => {
  expect(readShell(command).printsSecrets).toBe(true);
});

test.each(quiet)('MSK-2 prints none: %s', (command) => {
  expect(readShell(command).printsSecrets).toBe(false);
});

const m = '«masked:file-content»';

test.each([
  ['echo "A=b" > .env', `echo ${m} > .env`],
  ["echo 'A=b;c' >> .env.local", `echo ${m} >> .env.local`],
  ['printf "%s\\n" A=b > .env && npm start', `printf ${m} ${m} > .env && npm start`],
  ['cat > .env <<EOF\nA=b\nC=d\nEOF\nnpm start', `cat > .env <<EOF\n${m}EOF\nnpm start`],
  ["cat <<'EOF' > .env\nA=b\nEOF", `cat <<'EOF' > .env\n${m}EOF`],
  ['tee .env <<-END\n\tA=b\n\tEND\n', `tee .env <<-END\n${m}\tEND\n`],
  ['cat > .env <<EOF\nA=b', `cat > .env <<EOF\n${m}`],
  ['echo A=b | sudo tee -a .env', `echo ${m} | sudo tee -a .env`],
  ["sed -i 's/A=.*/A=b/' .env", `sed -i ${m} .env`],
  ['Set-Content -Path .env -Value "A=b"', `Set-Content -Path .env -Value ${m}`],
  ['echo "A=b" > notes.txt', 'echo "A=b" > notes.txt'],
  ['cat > app.ts <<EOF\nconst a = 1;\nEOF', 'cat > app.ts <<EOF\nconst a = 1;\nEOF'],
  ['cp .env.example .env', 'cp .env.example .env'],
])('MSK-1 what is written to a credential file is masked in the command: %s', (command, expected) => {
  expect(replaceSpans(command, readShell(command).contents)).toBe(expected);
});
