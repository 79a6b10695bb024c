/** How a provider's keys look: a fixed beginning and what must follow it. */
export interface TokenShape {
  /** Prefixes that ordinary words share: the rest of the key must look random. */
  readonly guarded?: true;
  readonly kind: string;
  readonly prefix: string;
  /** Regular expression for the rest. One run of one class, so that a failing match costs no more than its length. */
  readonly rest: string;
}

const base62 = '[A-Za-z0-9]';
const url64 = '[A-Za-z0-9_-]';
const hex = '[A-Fa-f0-9]';
const std64 = '[A-Za-z0-9+/=_-]';

function shapes(kind: string, prefixes: string, rest: string): readonly TokenShape[] {
  return prefixes.split(' ').map((prefix) => ({ kind, prefix, rest }));
}

function guarded(kind: string, prefixes: string, rest: string): readonly TokenShape[] {
  return shapes(kind, prefixes, rest).map((shape) => ({ ...shape, guarded: true }));
}

/** Keys that are one run of letters, digits, `-` and `_`; what follows the run may be more of the key. */
export const tokenShapes: readonly TokenShape[] = [
  ...shapes('anthropic-key', 'sk-ant-', `${url64}{12,}`),
  ...shapes('openrouter-key', 'sk-or-', `${url64}{20,}`),
  ...shapes('openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-', `${url64}{16,}`),
  ...shapes('api-key', 'sk-lf- sk-litellm- sk-helicone- sk-kimi- csk-', `${url64}{16,}`),
  ...shapes('openai-key', 'sk-', `${base62}{20,}`),
  ...shapes('google-key', 'AIza', `${url64}{35}`),
  ...shapes('google-secret', 'GOCSPX-', `${url64}{20,}`),
  ...shapes('aws-key', 'AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}'),
  ...shapes('aws-bedrock-key', 'ABSKQmVkcm9ja0FQSUtleS', '[A-Za-z0-9+/=]{20,}'),
  ...shapes('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', `${base62}{20,}`),
  ...shapes('github-token', 'github_pat_', '[A-Za-z0-9_]{20,}'),
  ...shapes(
    'gitlab-token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct- glwt- GR1348941',
    `${url64}{16,}`,
  ),
  ...shapes('slack-token', 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp-', '[A-Za-z0-9%-]{10,}'),
  ...shapes('slack-token', 'xoxe.xoxb- xoxe.xoxp-', '[A-Za-z0-9-]{10,}'),
  ...shapes('stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_', `${base62}{10,}`),
  ...shapes('webhook-secret', 'whsec_', '[A-Za-z0-9+/=]{20,}'),
  ...shapes('twilio-key', 'SK', '[0-9a-f]{32}'),
  ...shapes('npm-token', 'npm_', `${base62}{30,}`),
  ...shapes('pypi-token', 'pypi-', `${url64}{40,}`),
  ...shapes('huggingface-token', 'hf_ api_org_', `${base62}{28,}`),
  ...shapes('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', `${hex}{40,}`),
  ...shapes('shopify-token', 'shpat_ shpca_ shppa_ shpss_ shptka_', `${hex}{32}`),
  ...shapes('databricks-token', 'dapi dkea dose', '[0-9a-f]{32}(?:-\\d)?'),
  ...shapes('linear-key', 'lin_api_ lin_oauth_', `${base62}{20,}`),
  ...shapes('notion-token', 'ntn_', `${base62}{36,}`),
  ...shapes('notion-token', 'secret_', `${base62}{43}`),
  ...shapes('sentry-token', 'sntrys_ sntryu_', `${std64}{40,}`),
  ...shapes('mailgun-key', 'key-', '[0-9a-f]{32}'),
  ...shapes('cloudflare-token', 'cfut_ cfat_ cfk_', `${base62}{36,}`),
  ...shapes('heroku-key', 'HRKU-', `${url64}{30,}`),
  ...shapes('supabase-key', 'sbp_', `${hex}{40}`),
  ...shapes('supabase-key', 'sb_secret_', `${url64}{20,}`),
  ...shapes('groq-key', 'gsk_', `${base62}{30,}`),
  ...shapes('xai-key', 'xai-', `${base62}{40,}`),
  ...shapes('replicate-token', 'r8_', `${base62}{30,}`),
  ...shapes('perplexity-key', 'pplx-', `${base62}{30,}`),
  ...shapes('nvidia-key', 'nvapi-', `${url64}{40,}`),
  ...shapes('together-key', 'tgp_v1_', `${url64}{30,}`),
  ...shapes('fireworks-key', 'fw_', `${base62}{22,}`),
  ...shapes('tavily-key', 'tvly-', `${url64}{24,}`),
  ...shapes('firecrawl-key', 'fc-', '[0-9a-f]{32}'),
  ...shapes('elevenlabs-key', 'sk_', '[0-9a-f]{40,}'),
  ...shapes('langsmith-key', 'lsv2_pt_ lsv2_sk_', '[0-9a-f]{32}_[0-9a-f]{10}'),
  ...shapes('planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', `${url64}{30,}`),
  ...shapes('fly-token', 'fm1r_ fm1a_ fm2_ fo1_', `${std64}{40,}`),
  ...shapes('netlify-token', 'nfp_', `${base62}{36,}`),
  ...shapes('vercel-token', 'vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_', `${base62}{24,}`),
  ...shapes('render-key', 'rnd_', `${base62}{26,}`),
  ...shapes('newrelic-key', 'NRAK- NRJS- NRII-', `${url64}{19,}`),
  ...shapes('grafana-token', 'glc_', '[A-Za-z0-9+/=]{32,}'),
  ...shapes('grafana-token', 'glsa_', `${base62}{32}_${hex}{8}`),
  ...shapes('pulumi-token', 'pul-', '[0-9a-f]{40}'),
  ...shapes('atlassian-token', 'ATATT3 ATCTT3 ATBB', '[A-Za-z0-9_=-]{24,}'),
  ...shapes('artifactory-key', 'AKCp', `${base62}{60,}`),
  ...shapes('docker-token', 'dckr_pat_ dckr_oat_', `${url64}{24,}`),
  ...shapes('square-token', 'sq0atp- sq0csp- EAAAE', `${url64}{22,}`),
  ...shapes('facebook-token', 'EAACEdEose0cBA EAAG EAAB', `${base62}{60,}`),
  ...shapes('figma-token', 'figd_ figo_ figor_', `${url64}{30,}`),
  ...shapes('postman-key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'),
  ...shapes('rubygems-key', 'rubygems_', '[0-9a-f]{48}'),
  ...shapes('clojars-token', 'CLOJARS_', '[a-z0-9]{60}'),
  ...shapes('cratesio-token', 'cio', `${base62}{32}`),
  ...shapes('nuget-key', 'oy2', '[a-z0-9]{43}'),
  ...shapes('contentful-token', 'CFPAT-', `${url64}{43}`),
  ...shapes('easypost-key', 'EZAK EZTK', `${base62}{54}`),
  ...shapes('readme-key', 'rdme_', '[a-z0-9]{70}'),
  ...shapes('brevo-key', 'xkeysib- xsmtpsib-', '[0-9a-f]{64}-[A-Za-z0-9]{16}'),
  ...shapes('shippo-token', 'shippo_live_ shippo_test_', `${hex}{40}`),
  ...shapes('typeform-token', 'tfp_', `${url64}{40,}`),
  ...shapes('age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'),
  ...shapes('alibaba-key', 'LTAI', `${base62}{16,20}`),
  ...shapes('tencent-key', 'AKID', `${base62}{32}`),
  ...shapes('onepassword-token', 'ops_eyJ', `${url64}{40,}`),
  ...shapes('tailscale-key', 'tskey-', `${url64}{20,}`),
  ...shapes('buildkite-token', 'bkua_', `${hex}{40}`),
  ...shapes('prefect-key', 'pnu_', `${base62}{36}`),
  ...shapes('resend-key', 're_', '[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}'),
  ...shapes('neon-key', 'napi_', '[a-z0-9]{40,}'),
  ...shapes('cursor-key', 'key_', '[0-9a-f]{64}'),
  ...shapes('e2b-key', 'e2b_', '[0-9a-f]{40}'),
  ...shapes('sonar-token', 'sqp_ squ_ sqa_', '[0-9a-f]{40}'),
  ...shapes('octopus-key', 'API-', '[A-Z0-9]{25,32}'),
  ...shapes('adafruit-key', 'aio_', `${base62}{28}`),
  ...shapes('launchdarkly-key', 'sdk- mob- api-', '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'),
  ...shapes('flutterwave-key', 'FLWSECK- FLWSECK_TEST-', `${base62}{12,}`),
  ...shapes('duffel-token', 'duffel_test_ duffel_live_', `${url64}{40,}`),
  ...guarded(
    'api-key',
    'pa- al- ak- as- m0- bb_live_ bb_test_ apify_api_ mdb_sa_sk_ cbkey_ xau_ jsrp_ ddp_ ddo_ ddw_ xaat- xapt- BSA phx_ phs_ pcsk_ rpa_ hcaik_ hcbik_ hcxik_ ' +
      'bkct_ bkaj_ alch_ secret- secret-live- secret-test- signkey-prod- signkey-test- crsr_ jina_ AVNS_ fnAE tr_prod_ tr_dev_ tr_stg_ gtp_ scw- prp_ ' +
      'sk-v1- fk- bce-v3/ ark- ms- nf- cohere_ ctx7sk- mxb_ exa_ ghapp_ tok_ token_ apikey_ CCDB1_ pylf_ ll- lt_ ra- ' +
      'dtn_ dbtc_ dbtu_ expo_ retool_ sgp_ sgd_ slk_ tlk_ sess- ck- dub_ unkey_ cflt opk- flp_ mint_ chpt_ apk_ lsk_ luma- arc_ sgamp_ cnvca',
    `${url64}{20,}`,
  ),
  ...guarded('api-key', 'live_ test_ sk_ sk_live_ sk_test_ live_sk_ test_sk_ live_gsk_ test_gsk_', `${url64}{26,}`),
  ...shapes('clickup-token', 'pk_', '\\d{5,10}_[A-Z0-9]{30,34}'),
  ...shapes('plaid-token', 'access-sandbox- access-production- access-development-', '[0-9a-f]{8}-[0-9a-f-]{27}'),
  ...shapes('hubspot-token', 'pat-na1- pat-na2- pat-eu1-', '[0-9a-f]{8}-[0-9a-f-]{27}'),
  ...shapes('github-token', 'ghs_', '[A-Za-z0-9_]{20,}'),
  ...shapes('onepassword-key', 'A3-', '[A-Z0-9]{6}-[A-Z0-9]{6}-(?:[A-Z0-9]{5}-){2,3}[A-Z0-9]{5}'),
  ...shapes('telnyx-key', 'KEY', '[0-9A-F]{32}_\\w{22}'),
  ...shapes('paddle-key', 'pdl_live_apikey_ pdl_sdbx_apikey_', `${url64}{30,}`),
  ...shapes('wandb-key', 'wandb_v1_', `${url64}{40,}`),
];

/** Keys whose fixed beginning ends in a dot: it is looked for before a run, not in it. */
export const dottedShapes: readonly TokenShape[] = [
  ...shapes('gemini-key', 'AQ.', `${url64}{30,}`),
  ...guarded('vault-token', 's.', `${base62}{24}`),
  ...shapes('github-token', 'v1.', `${hex}{40}`),
  ...shapes('google-token', '1//', `0${url64}{36,}`),
  ...shapes('google-token', '4/', `0${url64}{30,}`),
  ...shapes('sendgrid-key', 'SG.', `${url64}{16,}\\.${url64}{16,}`),
  ...shapes('vault-token', 'hvs. hvb. hvr.', `${url64}{20,}`),
  ...shapes('google-token', 'ya29.', `${url64}{20,}`),
  ...shapes(
    'doppler-token',
    'dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. dp.st.dev. dp.st.stg. dp.st.prd. dp.st.prod. dp.st.ci.',
    `${base62}{30,}`,
  ),
  ...shapes('doppler-token', 'dp.st.', '[a-z0-9_-]{0,40}\\.?[A-Za-z0-9]{30,}'),
  ...shapes(
    'paseto',
    'v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.',
    `${url64}{40,}(?:\\.${url64}+)?`,
  ),
  ...guarded('api-key', 'mlsn. wk-1.', `${url64}{40,}`),
  ...shapes('dropbox-token', 'sl.', `${url64}{60,}`),
  ...shapes('dynatrace-token', 'dt0c01. dt0s01. dt0s16.', '[A-Z0-9]{24}(?:\\.[A-Z0-9]{64})?'),
  ...shapes('mapbox-token', 'sk.', 'eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{16,}'),
  ...shapes('cloudflare-token', 'v1.', `0-${hex}{24}-${hex}{100,}`),
];

/** Keys in several parts between dots: judged once, at the start of a run that a dot follows. */
export const jointShapes: readonly TokenShape[] = [
  ...shapes('jwt', 'eyJ', `${url64}{8,}\\.${url64}{10,}(?:\\.${url64}+){0,3}`),
  ...shapes('airtable-token', 'pat', `${base62}{14}\\.[0-9a-f]{64}`),
  // A Discord bot token begins with the base64 of a decimal id, which leaves few letters for each place.
  ...shapes(
    'discord-token',
    '',
    `(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}${url64}{0,4}\\.${url64}{5,8}\\.${url64}{24,}`,
  ),
  ...guarded('zhipu-key', '', `[0-9a-f]{32}\\.${base62}{16}`),
  ...shapes('infisical-token', 'st', `\\.[0-9a-f]{24}\\.[0-9a-f]{32}\\.[0-9a-f]{32}`),
  ...shapes('bitwarden-token', '0', `\\.[0-9a-f]{8}-[0-9a-f-]{27}\\.${base62}{30}:[A-Za-z0-9+/=]{24}`),
  ...shapes('snyk-token', 'snyk_uat', `\\.[0-9a-f]{8}\\.${url64}{40,}`),
  ...shapes('terraform-token', '', `${base62}{14}\\.atlasv1\\.${url64}{40,}`),
];
