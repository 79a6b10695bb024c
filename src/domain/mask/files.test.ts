import { expect, test } from 'vitest';
import { isCredentialFile, isCredentialGlob } from './files.ts';

const credentialFiles = [
  '.env',
  '/app/.env',
  '.env.local',
  '.env.production',
  'config/prod.env',
  'C:\\work\\.env',
  '.envrc',
  '.npmrc',
  '~/.netrc',
  '.pgpass',
  '.pypirc',
  '/home/dev/.git-credentials',
  '/home/dev/.aws/credentials',
  '~/.config/gcloud/application_default_credentials.json',
  '~/.config/gcloud/credentials.db',
  'credentials.json',
  '~/.ssh/id_rsa',
  'id_ed25519',
  '/root/.ssh/deploy_key',
  'server.pem',
  'tls.key',
  'cert.p12',
  'cert.pfx',
  'release.keystore',
  'upload.jks',
  '~/.docker/config.json',
  'kubeconfig',
  '~/.kube/config',
  'secrets.yml',
  'k8s/secrets.yaml',
  '.htpasswd',
  'service-account.json',
  'service-account-prod.json',
  'my-service-account.json',
  '~/.vault-token',
  '~/.codex/auth.json',
  '~/.claude/.credentials.json',
  '.claude.json',
  'terraform.tfvars',
  'terraform.tfstate',
  '~/.config/gh/hosts.yml',
  '~/.cargo/credentials.toml',
  '/etc/shadow',
  '/proc/self/environ',
  'local.settings.json',
  'client_secret_123.json',
  'master.key',
];
const ordinaryFiles = [
  '.env.example',
  '.env.sample',
  '.env.template',
  'env.ts',
  'src/environment.ts',
  'environment.env.ts',
  '.gitignore',
  'package.json',
  'package-lock.json',
  'id_rsa.pub',
  'src/secrets.ts',
  'docs/credentials.md',
  'keys.py',
  'README.md',
  'tsconfig.json',
  'auth.ts',
  '.github/workflows/secrets.md',
  'hello.txt',
  'config.json',
  'src/config',
  '',
  '/',
  'keyboard.json',
  'monkey.txt',
  '.envoy/config.yaml',
  'token.go',
  'public.key.ts',
];

test.each(credentialFiles)('MSK-1 %s is a credential file', (path) => {
  expect(isCredentialFile(path)).toBe(true);
});

test.each(ordinaryFiles)('MSK-2 %s is an ordinary file', (path) => {
  expect(isCredentialFile(path)).toBe(false);
});

test.each([
  ['.env*', true],
  ['**/.env.*', true],
  ['*.pem', true],
  ['**/*.{ts,tsx}', false],
  ['*', false],
  ['**/*.json', false],
  ['.env.example', false],
])('MSK-1 a glob %s aims at credential files: %s', (glob, expected) => {
  expect(isCredentialGlob(glob)).toBe(expected);
});
