import { billingNotice } from '#server/billing/capabilities.ts';
import { publicAddress, type Settings } from '#server/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

const isLocal = (host: string) => /^(127\.|localhost$|\[?::1\]?$)/.test(host);

/**
 * Settings, or combinations of settings, that are valid but probably a mistake. Each function returns a message and a
 * fix if it applies, otherwise false.
 */
const doubts: readonly ((settings: Settings) => [message: string, advice: string] | false)[] = [
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
      'no one can sign in: PASSWORD_SIGNIN_ENABLED and OIDC_ENABLED are both off',
      'enable one of them, unless only API keys are used',
    ],
  ({ HOST, BASE_URL }) =>
    !isLocal(HOST) &&
    BASE_URL === undefined && [
      `links would point to ${HOST}: BASE_URL is not set`,
      'set BASE_URL to the URL that people open',
    ],
  (settings) => {
    const { protocol, hostname } = new URL(publicAddress(settings));
    return (
      protocol === 'http:' &&
      !isLocal(hostname) &&
      !isLocal(settings.HOST) && [
        'BASE_URL is http, so credentials are sent unencrypted and the cookie is not Secure',
        'add a proxy with TLS, and set BASE_URL to its https URL',
      ]
    );
  },
  (settings) =>
    settings.TRUST_PROXY === 0 &&
    publicAddress(settings).startsWith('https:') && [
      'BASE_URL is https, so there must be a proxy, but TRUST_PROXY is 0: the service sees the IP address of the proxy for all clients',
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
      'billing is on, but no plan or top-up has a price',
      'set at least one STRIPE_PRICE_...',
    ],
  ({ MAX_REQUEST_BYTES, MAX_UPLOAD_BYTES }) =>
    MAX_REQUEST_BYTES > MAX_UPLOAD_BYTES && [
      'MAX_REQUEST_BYTES is larger than MAX_UPLOAD_BYTES, which limits every request',
      'raise MAX_UPLOAD_BYTES, or lower MAX_REQUEST_BYTES',
    ],
  ({ WORKSPACE_LIMITS: { tokens_per_day: tokens }, OPENAI_API_KEY }) =>
    tokens > 0 &&
    OPENAI_API_KEY === undefined && [
      'tokens_per_day of WORKSPACE_LIMITS has no effect: the stub engine costs no tokens',
      'set OPENAI_API_KEY, or remove tokens_per_day',
    ],
  ({ WORKSPACE_LIMITS: { tokens_per_day: tokens } }) =>
    tokens > 0 &&
    tokens < 20_000 && [
      `tokens_per_day of WORKSPACE_LIMITS is ${tokens}: a tenant reaches this limit with a few short texts`,
      'a short text takes 4,000 tokens or more; docs/usage.md lists what counts',
    ],
  ({ TRANSLATION_ENABLED }) =>
    !TRANSLATION_ENABLED && [
      'TRANSLATION_ENABLED is off: the service rejects every translation with 503',
      'set it to true to enable translations',
    ],
  ({ ALLOW_UNREADABLE_SECRETS }) =>
    ALLOW_UNREADABLE_SECRETS && [
      'ALLOW_UNREADABLE_SECRETS is on: the service starts even if SECRETS_KEY is wrong',
      'remove it when the keys decrypt all stored secrets',
    ],
];

/** Returns a finding for each setting or combination of settings that is valid but probably a mistake. */
export function checkSettings(settings: Settings): Finding[] {
  const found = doubts.flatMap((doubt) => {
    const [message, advice] = doubt(settings) || [];
    return message === undefined || advice === undefined ? [] : [warn('settings', message, advice)];
  });
  return found.length > 0 ? found : [ok('settings', 'valid and consistent')];
}
