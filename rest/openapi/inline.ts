import { type JsonSchema, type OpenApiDocument, refTo } from './document.ts';

/**
 * Named schemas that are written out in place. A component is a shape that the specification names, or a body that it
 * leaves open (decision 59); these are neither. Their names remain those of the SDK's types.
 */
const inlined: ReadonlySet<string> = new Set([
  // The specification leaves these open: the bodies of POST /api/translations, and those of deletions.
  'BatchTranslationRequest',
  'DocumentTextRequest',
  'DocumentDeletion',
  'TranslationDeletion',
  // The specification writes these out, as `{url}`, or calls them an open object.
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
  // The specification does not show these.
  'MfaResetResponse',
  'PasswordResetLink',
  'PasswordResetRequest',
  'PasswordResetResponse',
  'RoleChangeRequest',
  'SsoAuthorizeRequest',
  'SsoAuthorizeResponse',
  'SsoCallbackRequest',
  'SsoClientConfig',
  // Parts of one shape, without a name in the specification.
  'AgentRun',
  'CurrentUser',
  'DocumentApprovalResult',
  'QualityAssessment',
  'Refinement',
  'Verification',
]);

/**
 * Responses that are a component with data that is shown this once: each is written as the component and its own
 * members.
 */
const extended: Readonly<Record<string, string>> = {
  CreatedInvite: 'InviteRecord',
  ProvisionedTenant: 'TenantAccount',
  SsoTokenResponse: 'OAuth2TokenResponse',
  UploadedTerminologySet: 'TerminologySet',
};

/** Writes out the schemas that are not components, everywhere, and removes their components. */
export function inlineSchemas({ components, ...document }: OpenApiDocument): OpenApiDocument {
  const { schemas } = components;
  const writtenOut = (id: string): JsonSchema | undefined => {
    const schema = schemas[id];
    if (!schema) return undefined;
    const base = extended[id];
    if (base !== undefined && schemas[base]) return extensionOf(base, schemas[base], schema);
    return inlined.has(id) ? schema : undefined;
  };
  // Values of JSON.parse are replaced from the inside out, so inserted values are walked separately.
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

/** The component, and the members that only `schema` has. */
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
