import type { Content, JsonSchema } from './document.ts';
import { sampleIds, sampleKey, sampleTexts, sampleTimes } from './sample-components.ts';

const { job: id, workspace } = sampleIds;
const { begun: time, aWeekLater: later } = sampleTimes;
const { english, french } = sampleTexts;
const refreshToken = 'MuI1M7KERFVOypcpfXp7sbXnkHRqv9wKZiYuei05CdU';
/** Invites, reset links and challenges have this format: the id of the workspace, and a secret. */
const secretOf = `${workspace}.3y5n2Ml9SIBykh7zhFFNTyfeiRnoNq_97P8RCANJvr0`;

/** Sample values by the name of a field. */
const byName: Readonly<Record<string, unknown>> = {
  access_token: 'CwTX_5PJ0HroDRvedXJ9RGmjlc_u3kJPxNfyH5751zw',
  account_url: 'https://acme.dfs.core.windows.net',
  actor: 'translator',
  api_key: sampleKey,
  api_key_prefix: 'h8Qm2vT5',
  approved: 1,
  authorization_url: 'https://id.example.org/authorize?client_id=lingualoop&state=Zk3t',
  baseline_translation: french,
  billable_chars: english.length,
  billing_period: '2026-09',
  by_format: { docx: 1 },
  by_status: { translated: 1 },
  bytes_used: 48_213,
  candidate_models: 'gpt-6-luna',
  changedate: time,
  client_id: 'lingualoop',
  comment_id: '5d0ee1a2-64c7-4a4b-9a2e-8d1f6b3c7a90',
  code: 'low_quality_score',
  content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  created_at: time,
  created_by: 'ana@example.org',
  date: '2026-09-01',
  detail: 'not found',
  challenge_id: secretOf,
  document_id: sampleIds.document,
  artifact_id: sampleIds.artifact,
  documents: 'documents/',
  email: 'ana@example.org',
  entry_count: 128,
  expires_at: later,
  expires_in: 3600,
  explanation: 'The imperative is too informal for the rest of the text.',
  filesystem: 'translations',
  final_translation: french,
  from: '2026-09-01',
  golden: 'golden/',
  grant_type: 'password',
  has_secret: true,
  invite_token: secretOf,
  issuer: 'https://id.example.org',
  job_status: 'published',
  jobs: 1,
  Language: 'fr',
  limit: 100,
  live_services: true,
  loc: ['body', 'target_lang'],
  message: 'One segment is below the threshold.',
  label: 'closest stored pair',
  outcome: 'used as an example',
  mfa_code: '492039',
  monthly_char_limit: 500_000,
  msg: 'is required',
  name: 'Acme product names',
  new_password: 'a long enough passphrase',
  next: { oauth2_token: '/api/oauth2/token' },
  next_cursor: null,
  objects: 2,
  otpauth_uri: 'otpauth://totp/LinguaLoop:ana%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=LinguaLoop',
  overall_score: 0.98,
  password: 'a long enough passphrase',
  poll_url: `/api/tm/imports/${sampleIds.import}`,
  provider: 'oidc',
  qr_code: 'data:image/svg+xml;utf8,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E',
  reason: 'The quality score is below the threshold.',
  recorded_at: time,
  recovery_code: 'k7m2p-x9c4d',
  redirect_uri: 'https://lingualoop.example.org/signin/sso',
  refresh_expires_in: 2_592_000,
  refresh_token: refreshToken,
  region_id: 'p3',
  remaining: 499_965,
  request_id: '5f0c1f9b7f0e4d1f8b6a3c2d1e0f9a8b',
  requested_by: 'review_gate_agent',
  reset_token: secretOf,
  reset_url: `https://lingualoop.example.org/signin#reset_token=${secretOf}`,
  revision: 1,
  role: 'global_administrator',
  schema_version: '1.0',
  scope: 'translate:jobs',
  score: 92,
  secret: 'JBSWY3DPEHPK3PXP',
  set_id: sampleIds.set,
  set_name: 'Acme product names',
  sha256: '7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a',
  size_bytes: 48_213,
  source_chars: english.length,
  source_file_name: 'handbook.docx',
  source_format: 'docx',
  source_hash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  source_lang: 'en',
  source_text: english,
  stage: 'map_translate',
  started_at: time,
  state: 'Zk3tQ8Yh2kW5',
  source_document: 'handbook.docx',
  summary: 'Faithful and fluent.',
  target_lang: 'fr',
  target_text: french,
  tenant_id: workspace,
  tenant_name: 'Acme',
  terminology: 'terminology/',
  Text: english,
  threshold: 85,
  to: '2026-09-30',
  token: 'CwTX_5PJ0HroDRvedXJ9RGmjlc_u3kJPxNfyH5751zw',
  terminology_file: 'product-names.csv',
  tmx_file: 'website-2025.tmx',
  tool_name: 'translate',
  total: 1,
  total_segments: 64,
  total_units: 64,
  translated_segments: 64,
  translated_units: 64,
  type: 'invalid_type',
  updated_at: time,
  updated_by: 'ana@example.org',
  url: 'https://checkout.stripe.com/c/pay/cs_live_a1',
  used: english.length,
  user_id: sampleIds.member,
  username: 'ana@example.org',
  warning: 'no header row was recognized; the columns are read by position',
  window_start: '2026-09-01T00:00:00.000Z',
};

const suffixed = /(^|_)id$/;

/** Returns the sample value for a field's name, if there is one and it has the field's type. */
export function sampleOf(name: string, schema: JsonSchema): unknown {
  const value = suffixed.test(name) ? (byName[name] ?? id) : byName[name];
  return value !== undefined && fits(value, schema) ? value : undefined;
}

function fits(
  value: unknown,
  { type, enum: values, const: only, anyOf, $ref, minimum, maximum }: JsonSchema,
): boolean {
  if ($ref) return false;
  if (anyOf) return anyOf.some((one) => fits(value, one));
  if (values) return values.includes(value);
  if (only !== undefined) return value === only;
  if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value))) return false;
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const types = [type].flat();
  return (
    types.includes(actual) || (actual === 'number' && types.includes('integer') && Number.isInteger(value))
  );
}

/** Examples of bodies that are files, by content type. Binary files have none. */
export const fileExamples: Readonly<Record<string, string>> = {
  'text/*': english,
  'text/plain; charset=utf-8': french,
  'text/csv; charset=utf-8': `job_id,billable_chars\r\n${id},35\r\n`,
  'application/json; charset=utf-8': `{"tenant_id":"${workspace}","billing_period":"2026-09","records":[]}`,
  'application/x-ndjson; charset=utf-8': `{"job_id":"${id}","source_lang":"en","target_lang":"fr","billable_chars":35}\n`,
  'application/xml': `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
  <header creationtool="LinguaLoop" creationtoolversion="1.0" segtype="sentence" o-tmf="LinguaLoop" adminlang="en" srclang="en" datatype="plaintext"/>
  <body>
    <tu>
      <tuv xml:lang="en"><seg>${english}</seg></tuv>
      <tuv xml:lang="fr"><seg>${french}</seg></tuv>
    </tu>
  </body>
</tmx>
`,
  'application/x-tbx+xml': `<?xml version="1.0" encoding="UTF-8"?>
<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic" style="dct" xml:lang="en">
  <text>
    <body>
      <conceptEntry id="c1">
        <langSec xml:lang="en"><termSec><term>workspace</term></termSec></langSec>
        <langSec xml:lang="fr"><termSec><term>espace de travail</term></termSec></langSec>
      </conceptEntry>
    </body>
  </text>
</tbx>
`,
  'application/xliff+xml': `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="fr">
  <file id="${id}">
    <unit id="1">
      <segment state="reviewed">
        <source>${english}</source>
        <target>${french}</target>
      </segment>
    </unit>
  </file>
</xliff>
`,
};

type Written = Pick<Content[string], 'example' | 'examples'>;

/** Request bodies of callers' first requests, by operation. */
export const requestExamples: Readonly<Record<string, Written>> = {
  'translations.create': {
    examples: {
      text: { value: { source_text: english, target_lang: 'fr' } },
      held_for_review: {
        value: { source_text: english, target_lang: 'fr', metadata: { requires_human_review: true } },
      },
      batch: { value: { inputs: [{ Text: english, Targets: [{ Language: 'fr' }, { Language: 'de' }] }] } },
      pages_of_a_text: {
        value: {
          source_text: english,
          target_lang: 'fr',
          metadata: { source_document: { name: 'letter.txt' } },
        },
      },
    },
  },
  'translations.review': {
    examples: {
      approve: { value: { action: 'approve', reviewer: 'ana@example.org' } },
      modify: { value: { action: 'modify', final_translation: french, reviewer: 'ana@example.org' } },
    },
  },
  'documents.approve': { example: { notes: null, reviewer: 'ana@example.org' } },
  'tenants.setSecurityPolicy': { example: { mfa_required: true } },
  'members.createInvite': {
    example: { email: 'ben@example.org', role: 'agent_id_developer', expires_in_days: 7 },
  },
  'auth.enrollMfa': { example: { challenge_id: secretOf } },
  'auth.signOut': { example: { refresh_token: refreshToken } },
  'billing.topup': { example: { packs: 1 } },
  'storage.bind': {
    example: {
      provider: 'datalake',
      account_url: 'https://acme.dfs.core.windows.net',
      filesystem: 'translations',
      auth_mode: 'managed_identity',
    },
  },
};
