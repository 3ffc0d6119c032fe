import type { LinguaLoopError } from '#sdk/errors.ts';
import type { MessageId } from '../i18n.tsx';

/**
 * Errors that only their message distinguishes, with the beginning of the message. Each has its own text,
 * because their next step differs from that of the status.
 */
const byMessage: readonly (readonly [status: number, message: RegExp, text: MessageId])[] = [
  [400, /^password too common/, 'problems.password_common'],
  [400, /^password too short/, 'problems.password_short'],
  [400, /^password too long/, 'problems.password_long'],
  [400, /^password must not equal/, 'problems.password_email'],
  [400, /^invalid or expired invite/, 'problems.invite_invalid'],
  [400, /^this invite was issued for a different/, 'problems.invite_other_email'],
  [400, /^email already registered/, 'problems.email_registered'],
  [400, /^terminology_file: .* names the languages .*select two of them/, 'problems.glossary_languages'],
  [400, /^terminology_file: .*_lang is not a supported language/, 'problems.glossary_language'],
  [401, /^workspace_id_required:/, 'problems.workspace_needed'],
  [401, /^invalid email or password/, 'problems.credentials'],
  [401, /^invalid MFA code/, 'problems.mfa_code'],
  [402, /^subscription is not current/, 'problems.payment_due'],
  [402, /^the free trial covers/, 'problems.trial_covers'],
  [402, /^free trial ended/, 'problems.trial_ended'],
  [402, /^free trial/, 'problems.trial_small'],
  [429, /^tenant usage limit exceeded: (buy|upgrade)/, 'problems.usage_limit_sold'],
  [403, /^invalid MFA code/, 'problems.mfa_code'],
  [401, /^invalid or expired MFA challenge/, 'problems.mfa_expired'],
  [401, /^invalid or expired reset link/, 'problems.reset_link'],
  [401, /^invalid or expired sign-in state/, 'problems.sso_state'],
  [401, /^single sign-on failed/, 'problems.sso_failed'],
  [403, /^the authenticator was set up in this session/, 'problems.unproved_authenticator'],
  [403, /^wrong password/, 'problems.wrong_password'],
  [403, /^password sign-in is disabled/, 'problems.password_disabled'],
  [403, /^email signup is disabled/, 'problems.signup_disabled'],
  [403, /^the identity provider has not verified/, 'problems.sso_unverified'],
  [403, /^invitation required/, 'problems.invite_required'],
  [403, /^access to this workspace was revoked/, 'problems.access_revoked'],
  [403, /^only the reviewer who decided/, 'problems.reopen_forbidden'],
  [404, /^job not found/, 'problems.job_not_found'],
  [404, /^document( job)? not found/, 'problems.document_not_found'],
  [409, /^the last active administrator/, 'problems.last_administrator'],
  [409, /^a workspace holds at most \d+ pending invites/, 'problems.too_many_invites'],
  [409, /^an API key with the name/, 'problems.key_name_taken'],
  [409, /needs a reviewer; assign it first/, 'problems.reviewer_needed'],
  [409, /^already subscribed/, 'problems.already_subscribed'],
  [409, /^your subscription needs attention/, 'problems.subscription_lapsed'],
  [409, /^no Stripe customer/, 'problems.no_customer'],
  [409, /^the allowance already reaches/, 'problems.ceiling'],
  [409, /was not decided/, 'problems.reopen_late'],
  [409, /^the glossary already has this term/, 'problems.term_exists'],
  [409, /reopen it first/, 'problems.reopen_first'],
  [409, /pass it on/, 'problems.second_review_needed'],
  [409, /second review/, 'problems.second_review_awaited'],
  [422, /could not be detected/, 'problems.language_unknown'],
  [429, /^tenant usage limit exceeded/, 'problems.usage_limit'],
  [502, /^the model could not be reached/, 'problems.model_unreachable'],
  [503, /^the model could not be reached/, 'problems.model_unreachable'],
  [503, /^the payment processor/, 'problems.payments_unreachable'],
  [503, /^(this plan|top-ups|billing) (is|are) not/, 'problems.not_sold'],
  [503, /^translation is temporarily disabled/, 'problems.translation_disabled'],
];

/** The texts by `error_code`. */
const byCode: Readonly<Record<string, MessageId>> = {
  validation_error: 'problems.status_400',
  proof_required: 'problems.proof_required',
  not_found: 'problems.status_404',
  conflict: 'problems.conflict',
  critical_findings: 'problems.critical_findings',
  storage_binding_not_verified: 'problems.storage_binding_not_verified',
  content_filtered: 'problems.content_filtered',
  rate_limit: 'problems.rate_limit',
  quota_exceeded: 'problems.usage_limit',
  internal_error: 'problems.status_500',
  persistence_failed: 'problems.persistence_failed',
  transient_error: 'problems.transient_error',
  service_unavailable: 'problems.service_unavailable',
  stage_timeout: 'problems.status_504',
};

/** The texts by status, for errors without an `error_code`. */
const byStatus: Readonly<Record<number, MessageId>> = {
  400: 'problems.status_400',
  401: 'problems.status_401',
  402: 'problems.status_402',
  403: 'problems.status_403',
  404: 'problems.status_404',
  408: 'problems.status_408',
  409: 'problems.status_409',
  413: 'problems.status_413',
  415: 'problems.status_415',
  422: 'problems.status_422',
  429: 'problems.status_429',
  431: 'problems.status_431',
  500: 'problems.status_500',
  502: 'problems.status_502',
  503: 'problems.status_503',
  504: 'problems.status_504',
  507: 'problems.status_507',
};

/** The texts that do not name the cause. Only the service's message contains it. */
const isOpen: ReadonlySet<MessageId> = new Set([
  'problems.glossary_language',
  'problems.status_400',
  'problems.status_409',
  'problems.status_415',
  'problems.status_422',
]);

/** The text for an error of the service. `needsDetail`: only the service's message contains the cause. */
export function wordsOf(error: LinguaLoopError): { id: MessageId; needsDetail: boolean } {
  const { status, code, detail } = error;
  const said = typeof detail === 'string' ? detail : '';
  const known = byMessage.find(([its, message]) => its === status && message.test(said))?.[2];
  const id =
    known ?? byCode[code ?? ''] ?? byStatus[status ?? 0] ?? ('common.unexpected' satisfies MessageId);
  return { id, needsDetail: isOpen.has(id) };
}

/** The service's own message in English, for support and for what the interface has no words for. */
export function detailOf({ detail, hint }: LinguaLoopError): string {
  if (typeof detail === 'string') return [detail, hint].filter(Boolean).join('; ');
  return detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
}
