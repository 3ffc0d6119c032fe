import type { GuardName } from '#server/context.ts';

/**
 * The guard of each procedure, from A 4.1, A 4.4, A 5.2 and B 5; `session_cookie` is A 4.1's "ll_session cookie only".
 * A procedure without a line here fails the suite.
 */
export const guardOf: Readonly<Record<string, GuardName>> = {
  'system.health': 'public',

  'auth.signUpWithEmail': 'public',
  'auth.token': 'public',
  'auth.verifyMfa': 'public',
  'auth.signOut': 'public',
  'auth.resetPassword': 'public',
  'auth.authorizeSso': 'public',
  'auth.completeSso': 'public',
  'auth.ssoClientConfig': 'public',
  'auth.enrollMfa': 'challenge_or_cookie',
  'auth.confirmMfa': 'challenge_or_cookie',
  'auth.regenerateRecoveryCodes': 'session_cookie',
  'auth.me': 'bearer',
  'auth.revoke': 'admin',
  'auth.introspect': 'admin',

  'members.previewInvite': 'public',
  'members.list': 'admin',
  'members.revoke': 'admin',
  'members.restore': 'admin',
  'members.changeRole': 'admin',
  'members.resetMfa': 'admin',
  'members.issueResetLink': 'admin',
  'members.createInvite': 'admin',
  'members.listInvites': 'admin',
  'members.withdrawInvite': 'admin',

  'tenants.create': 'platform_operator',
  'tenants.list': 'admin',
  'tenants.setSecurityPolicy': 'admin',

  'billing.checkout': 'tenant_identity',
  'billing.topup': 'tenant_identity',
  'billing.portal': 'tenant_identity',
  'billing.webhook': 'public',

  'usage.daily': 'admin',
  'usage.summary': 'admin',
  'usage.export': 'admin',

  'translations.create': 'tenant_identity',
  'translations.createBatch': 'tenant_identity',
  'translations.createFromText': 'tenant_identity',
  'translations.createFromFile': 'tenant_identity',
  'translations.get': 'tenant_identity',
  'translations.list': 'tenant_identity',
  'translations.review': 'tenant_identity',
  'translations.golden': 'tenant_identity_or_cookie',
  'translations.delete': 'admin',

  'terminology.upload': 'tenant_identity',
  'terminology.list': 'tenant_identity',
  'terminology.delete': 'tenant_identity',

  'memory.import': 'tenant_identity',
  'memory.list': 'tenant_identity',
  'memory.listImports': 'tenant_identity',
  'memory.getImport': 'tenant_identity',
  'memory.delete': 'tenant_identity',
  'memory.export': 'tenant_identity',
  'memory.exportGolden': 'tenant_identity',
};
