import { billingNotice } from '#server/billing/capabilities.ts';
import { publicAddress, type Settings } from '#server/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

const isLocal = (host: string) => /^(127\.|localhost$|\[?::1\]?$)/.test(host);

/** Settings with which the service starts, and which are probably not what someone wants. */
const doubts: readonly ((settings: Settings) => [says: string, advice: string] | false)[] = [
  ({ OPERATOR_EMAILS, OPERATOR_TENANT_ID }) =>
    OPERATOR_EMAILS.length > 0 &&
    OPERATOR_TENANT_ID === undefined && [
      'OPERATOR_EMAILS has no effect without OPERATOR_TENANT_ID',
      'set OPERATOR_TENANT_ID to the id of the workspace in which these addresses are operators',
    ],
  ({ OPERATOR_EMAILS, OPERATOR_TENANT_ID }) =>
    OPERATOR_TENANT_ID !== undefined &&
    OPERATOR_EMAILS.length === 0 && [
      'OPERATOR_TENANT_ID has no effect without OPERATOR_EMAILS',
      'set OPERATOR_EMAILS to the addresses of the operators',
    ],
  ({ PASSWORD_SIGNIN_ENABLED, OIDC_ENABLED }) =>
    !PASSWORD_SIGNIN_ENABLED &&
    !OIDC_ENABLED && [
      'nobody can sign in: PASSWORD_SIGNIN_ENABLED and OIDC_ENABLED are both off',
      'turn one of them on, unless only keys are used',
    ],
  ({ HOST, BASE_URL }) =>
    !isLocal(HOST) &&
    BASE_URL === undefined && [
      `links would point to ${HOST}: BASE_URL is not set`,
      'set BASE_URL to the address that people open',
    ],
  (settings) => {
    const { protocol, hostname } = new URL(publicAddress(settings));
    return (
      protocol === 'http:' &&
      !isLocal(hostname) &&
      !isLocal(settings.HOST) && [
        'BASE_URL is http, so credentials travel unencrypted and the cookie is not Secure',
        'put a proxy with TLS in front, and set BASE_URL to its https address',
      ]
    );
  },
  (settings) =>
    settings.TRUST_PROXY === 0 &&
    publicAddress(settings).startsWith('https:') && [
      'BASE_URL is https, so a proxy is in front, but TRUST_PROXY is 0: all callers have the address of the proxy',
      'set TRUST_PROXY to the number of your proxies',
    ],
  (settings) => {
    const notice = billingNotice(settings);
    return (
      notice !== null && [
        notice,
        'set both from your account at Stripe (docs/billing.md), or BILLING_ENABLED=false',
      ]
    );
  },
  (settings) =>
    settings.BILLING_ENABLED &&
    [
      settings.STRIPE_PRICE_PERSONAL,
      settings.STRIPE_PRICE_PRO,
      settings.STRIPE_PRICE_STUDIO,
      settings.STRIPE_PRICE_TOPUP,
    ].every((price) => price === undefined) && [
      'billing is on and nothing is for sale',
      'set at least one STRIPE_PRICE_...',
    ],
  ({ MAX_REQUEST_BYTES, MAX_UPLOAD_BYTES }) =>
    MAX_REQUEST_BYTES > MAX_UPLOAD_BYTES && [
      'MAX_REQUEST_BYTES is larger than MAX_UPLOAD_BYTES, which limits every request',
      'raise MAX_UPLOAD_BYTES, or lower MAX_REQUEST_BYTES',
    ],
  ({ MAX_TOKENS_PER_DAY, OPENAI_API_KEY }) =>
    MAX_TOKENS_PER_DAY > 0 &&
    OPENAI_API_KEY === undefined && [
      'MAX_TOKENS_PER_DAY has no effect: the stub engine costs no tokens',
      'set OPENAI_API_KEY, or remove MAX_TOKENS_PER_DAY',
    ],
  ({ MAX_TOKENS_PER_DAY }) =>
    MAX_TOKENS_PER_DAY > 0 &&
    MAX_TOKENS_PER_DAY < 20_000 && [
      `MAX_TOKENS_PER_DAY is ${MAX_TOKENS_PER_DAY}: a few short texts of a tenant reach it`,
      'a short text takes 4,000 tokens or more; docs/usage.md says what counts',
    ],
  ({ TRANSLATION_ENABLED }) =>
    !TRANSLATION_ENABLED && [
      'TRANSLATION_ENABLED is off: every submission gets 503',
      'set it to true when you want translations',
    ],
  ({ ALLOW_UNREADABLE_SECRETS }) =>
    ALLOW_UNREADABLE_SECRETS && [
      'ALLOW_UNREADABLE_SECRETS is on: a wrong SECRETS_KEY is not noticed at the start',
      'remove it when no stored secret is left that the keys do not open',
    ],
];

/** What is doubtful about settings that are valid each and together. */
export function checkSettings(settings: Settings): Finding[] {
  const found = doubts.flatMap((doubt) => {
    const [says, advice] = doubt(settings) || [];
    return says === undefined || advice === undefined ? [] : [warn('settings', says, advice)];
  });
  return found.length > 0 ? found : [ok('settings', 'they are valid, and fit together')];
}
