import { type ErrorName, errorTable } from '#server/errors.ts';
import type { RestProcedure } from '../procedures.ts';
import { selectableFields } from '../query.ts';

/** The meaning of each error to a caller, as in the document. */
export const meanings: Readonly<Partial<Record<ErrorName, string>>> = {
  malformed_request: 'the request cannot be read, or its API version is not released',
  validation_error: 'a value is invalid, or the current state of the resource does not allow the request',
  unauthenticated: 'the credential is missing, invalid or expired',
  payment_required: 'billing is enabled, and neither a subscription nor a free trial covers the request',
  forbidden: 'the credential does not permit this operation',
  not_found: 'the resource does not exist, was deleted, or belongs to another workspace',
  capability_not_enabled: 'this feature is not enabled on this deployment',
  state_conflict: 'the current state of the resource does not allow the request',
  conflict: 'the current state of the resource does not allow the request',
  storage_binding_not_verified:
    "the workspace's own storage account is not verified; verify the storage binding first",
  payload_too_large: 'the request body, text or batch exceeds the limit that detail states',
  unsupported_media_type: 'the type of the file or of the request body is not accepted',
  invalid_fields: 'fields of the request are invalid; detail is an array with an entry for each',
  unprocessable: 'a value of the request is not accepted; detail is a string',
  content_filtered: "the model's content policy rejected the text; do not send it again",
  too_many_requests: 'too many attempts or requests; Retry-After is set if a repeat may succeed',
  rate_limit: 'the service has no free capacity; repeat the request after Retry-After',
  quota_exceeded: 'the remaining allowance is too small for the request; nothing is billed',
  internal_error: 'unexpected error; report its request_id to the operator',
  import_backend_unavailable: 'the embedding model does not respond; nothing is imported',
  platform_storage_unavailable:
    'the service could not write to platform storage; the storage binding is unchanged',
  persistence_failed:
    'the translation is complete and billed, but its record could not be stored; it is published automatically later, so do not resubmit',
  capability_off: 'this feature is disabled or not configured on this deployment',
  transient_error: 'temporarily unavailable; repeat the request with backoff and the same Idempotency-Key',
  service_unavailable: 'a system that the service needs, such as the model, is unavailable or misconfigured',
  stage_timeout: 'the document took too long to process; split the file',
  storage_cap_reached: "the workspace's platform storage for documents is full",
};

const signIn: readonly ErrorName[] = ['forbidden', 'too_many_requests'];
const submission: readonly ErrorName[] = [
  'validation_error',
  'payment_required',
  'storage_binding_not_verified',
  'unsupported_media_type',
  'unprocessable',
  'too_many_requests',
  'quota_exceeded',
  'rate_limit',
  'capability_off',
  'storage_cap_reached',
];
const member: readonly ErrorName[] = ['not_found'];
const binding: readonly ErrorName[] = ['capability_not_enabled', 'storage_binding_not_verified'];

/** Errors of each operation, by the procedure's path, in addition to those that follow from its route and guard. */
const own: Readonly<Record<string, readonly ErrorName[]>> = {
  'auth.signUpWithEmail': signIn,
  'auth.token': ['unauthenticated', ...signIn],
  'auth.verifyMfa': ['unauthenticated', ...signIn],
  'auth.enrollMfa': [...signIn, 'state_conflict'],
  'auth.confirmMfa': [...signIn, 'state_conflict'],
  'auth.regenerateRecoveryCodes': [...signIn, 'state_conflict'],
  'auth.resetPassword': ['unauthenticated', 'too_many_requests'],
  'auth.authorizeSso': [...signIn, 'service_unavailable'],
  'auth.completeSso': ['unauthenticated', 'state_conflict', ...signIn, 'service_unavailable'],
  'auth.ssoClientConfig': signIn,
  'members.previewInvite': ['too_many_requests'],
  'members.revoke': [...member, 'state_conflict'],
  'members.changeRole': [...member, 'state_conflict'],
  'members.createInvite': [...member, 'state_conflict'],
  'members.listInvites': member,
  'usage.summary': member,
  'usage.export': member,
  'billing.checkout': ['state_conflict', 'unprocessable', 'capability_off'],
  'billing.topup': [
    'payment_required',
    'state_conflict',
    'unprocessable',
    'too_many_requests',
    'capability_off',
  ],
  'billing.portal': ['state_conflict', 'capability_off'],
  'billing.webhook': ['capability_off'],
  'translations.create': [...submission, 'content_filtered', 'persistence_failed'],
  'translations.review': ['validation_error', 'storage_binding_not_verified', 'persistence_failed'],
  'translations.exportXliff': ['not_found', 'unprocessable', 'rate_limit'],
  'translations.reviewXliff': [
    'validation_error',
    'unprocessable',
    'conflict',
    'storage_binding_not_verified',
    'rate_limit',
    'persistence_failed',
  ],
  'translations.golden': ['conflict', 'storage_binding_not_verified'],
  'documents.translate': [...submission, 'stage_timeout'],
  'documents.download': ['conflict', 'storage_binding_not_verified'],
  'documents.review': ['validation_error', 'storage_binding_not_verified'],
  'documents.exportXliff': ['rate_limit'],
  'documents.reviewXliff': [
    'validation_error',
    'unprocessable',
    'conflict',
    'storage_binding_not_verified',
    'rate_limit',
  ],
  'documents.approve': ['validation_error', 'storage_binding_not_verified'],
  'documents.summary': ['forbidden'],
  'terminology.upload': ['validation_error', 'unsupported_media_type', 'unprocessable', 'rate_limit'],
  'terminology.exportTbx': ['not_found', 'rate_limit'],
  'terminology.exportXlsx': ['not_found', 'rate_limit'],
  'terminology.exportCsv': ['not_found', 'rate_limit'],
  'memory.import': [
    'validation_error',
    'state_conflict',
    'unsupported_media_type',
    'unprocessable',
    'rate_limit',
    'import_backend_unavailable',
  ],
  'memory.delete': ['state_conflict'],
  'memory.exportGolden': ['validation_error', 'not_found'],
  'storage.binding': ['capability_not_enabled'],
  'storage.bind': [...binding, 'unprocessable', 'platform_storage_unavailable'],
  'storage.unbind': binding,
  'storage.verify': binding,
};

/** Returns the errors that an operation documents, by status. Each error code always has the same status. */
export function refusalsOf(procedure: RestProcedure): Map<number, ErrorName[]> {
  const names = new Set<ErrorName>([...ofRoute(procedure), ...(own[procedure.path] ?? [])]);
  const byStatus = Map.groupBy(names, (name) => errorTable[name].status);
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function ofRoute(procedure: RestProcedure): ErrorName[] {
  const { route, meta, input } = procedure;
  const { guard } = meta;
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
  const names: ErrorName[] = ['malformed_request', 'internal_error', 'transient_error'];
  if (guard !== 'public') names.push('unauthenticated');
  if (guard === 'tenant_admin' || guard === 'admin' || guard === 'platform_operator') names.push('forbidden');
  if (route.path.includes('{')) names.push('not_found');
  if (hasBody) names.push('payload_too_large');
  if (hasBody && input && (route.body ?? 'json') === 'json' && !route.upload)
    names.push('unsupported_media_type');
  // A raw body has no fields that could be invalid. The parameter `fields` can be, even without other inputs.
  if ((input && route.body !== 'raw') || selectableFields(procedure).length > 0) names.push('invalid_fields');
  return names;
}
