import { type JsonSchema, type OpenApiDocument, refTo } from './document.ts';

/**
 * Named schemas that are written out in place, instead of becoming components. Components are only the shapes that
 * the specification names and the bodies that it leaves open (decision 59). The names below stay the names of the
 * SDK's types.
 */
const inlined: ReadonlySet<string> = new Set([
  // The specification leaves these open, but they are not components: parts of the body of POST /api/translations,
  // and the bodies of deletions and estimates.
  'BatchTranslationRequest',
  'DocumentTextRequest',
  'DocumentDeletion',
  'TranslationDeletion',
  'TranslationEstimate',
  // The specification writes these out in place, like `{url}`, or describes them as an open object.
  'CheckoutRequest',
  'DeliveryReceipt',
  'IntrospectRequest',
  'InvitePreview',
  'MfaEnrollConfirmResponse',
  'MfaEnrollResponse',
  'PaymentPage',
  'RecoveryCodesResponse',
  'RevokeRequest',
  'RevokeResponse',
  'SignOutRequest',
  'SignOutResponse',
  'TopUpRequest',
  // These do not occur in the specification.
  'MfaResetResponse',
  'PasswordResetLink',
  'PasswordResetRequest',
  'PasswordResetResponse',
  'RoleChangeRequest',
  'SsoAuthorizeRequest',
  'SsoAuthorizeResponse',
  'SsoCallbackRequest',
  'SsoClientConfig',
  // These are parts of one larger shape and have no name in the specification.
  'AgentRun',
  'CurrentUser',
  'DocumentApprovalResult',
  'QualityAssessment',
  'Refinement',
  'Verification',
]);

/**
 * Responses that consist of a component and of data that is shown only once. Each is written as the component plus
 * the additional members.
 */
const extended: Readonly<Record<string, string>> = {
  CreatedInvite: 'InviteRecord',
  ProvisionedTenant: 'TenantAccount',
  SsoTokenResponse: 'OAuth2TokenResponse',
  UploadedTerminologySet: 'TerminologySet',
};

/** Replaces references to schemas that are not components by these schemas, and removes them from the components. */
export function inlineSchemas({ components, ...document }: OpenApiDocument): OpenApiDocument {
  const { schemas } = components;
  const writtenOut = (id: string): JsonSchema | undefined => {
    const schema = schemas[id];
    if (!schema) return undefined;
    const base = extended[id];
    if (base !== undefined && schemas[base]) return extensionOf(base, schemas[base], schema);
    return inlined.has(id) ? schema : undefined;
  };
  // The function gets inner values first, so a schema that it inserts is not visited; `write` is called for that
  // schema separately.
  const write = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_key, inner) => {
      const id = /^#\/components\/schemas\/(\w+)$/.exec(inner?.$ref ?? '')?.[1];
      const found = id === undefined ? undefined : writtenOut(id);
      if (!found) return inner;
      const { $ref: _, ...beside } = inner;
      return { ...write(found), ...beside };
    });
  const kept = Object.entries(schemas).filter(([id]) => !writtenOut(id));
  return { ...write(document), components: { schemas: write(Object.fromEntries(kept)) } };
}

/** Returns a schema that combines the component `id` with the members that only `schema` has. */
function extensionOf(id: string, base: JsonSchema, schema: JsonSchema): JsonSchema {
  const inherited = new Set(Object.keys(base.properties ?? {}));
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !inherited.has(name));
  const required = (schema.required ?? []).filter((name) => !inherited.has(name));
  return {
    ...(schema.description !== undefined && { description: schema.description }),
    allOf: [
      refTo(id),
      { type: 'object', properties: Object.fromEntries(own), ...(required.length > 0 && { required }) },
    ],
  };
}
