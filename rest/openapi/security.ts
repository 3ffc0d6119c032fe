import type { GuardName } from '#server/context.ts';
import type { RestProcedure } from '../procedures.ts';
import { type Method, methods, type OpenApiDocument, type Operation } from './document.ts';

/**
 * How to send each credential. Swagger UI shows them in this order and puts the cursor into the last one, so this is
 * the credential that most callers have.
 */
const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'll_session',
    description: 'The session of a signed-in member. Browsers send it automatically.',
  },
  operatorKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: "The deployment's operator key, for operators only.",
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An access token of POST /api/oauth2/token. If `apiKey` is accepted, the API key may be sent in this way, too.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The API key of a workspace.',
  },
} as const;

type SchemeName = keyof typeof securitySchemes;

/** A combination of credentials that together are accepted; an empty combination means that no credential is needed. */
type Requirement = Partial<Record<SchemeName, []>>;

const by = (...names: SchemeName[]): Requirement[] => names.map((name) => ({ [name]: [] }));

/** The accepted credentials of each guard. Any one of the requirements is enough. */
const accepted: Readonly<Record<GuardName, Requirement[]>> = {
  public: [],
  tenant_identity: by('apiKey', 'bearer'),
  tenant_identity_or_cookie: by('apiKey', 'bearer', 'session'),
  tenant_admin: by('apiKey', 'bearer', 'session'),
  admin: by('bearer', 'operatorKey', 'session'),
  platform_operator: by('bearer', 'operatorKey', 'session'),
  bearer: by('bearer'),
  administrator_session: by('bearer'),
  // A challenge is not a security scheme: it is sent in the body.
  challenge_or_cookie: [{}, ...by('session')],
  session_cookie: by('session'),
};

/**
 * The document for client generators. It has the security requirements, which the specification excludes from the
 * public document.
 */
export interface ClientsDocument extends Omit<OpenApiDocument, 'paths' | 'components'> {
  paths: Record<string, Partial<Record<Method, Operation & { security: Requirement[] }>>>;
  components: OpenApiDocument['components'] & { securitySchemes: typeof securitySchemes };
}

/**
 * Returns the document with a security requirement for each operation, derived from the guard of its procedure.
 * @throws Error if procedures at one path have different guards, or none
 */
export function withSecurity(
  document: OpenApiDocument,
  procedures: readonly RestProcedure[],
): ClientsDocument {
  const guards = new Map<string, GuardName>();
  for (const { path, route, meta } of procedures) {
    const address = `${route.method.toLowerCase()} ${route.path}`;
    const { guard } = meta;
    if (!guard) throw new Error(`${path}: a procedure with a route needs a guard`);
    if ((guards.get(address) ?? guard) !== guard)
      throw new Error(`${path}: the procedures at ${address} have different guards`);
    guards.set(address, guard);
  }
  const paths: ClientsDocument['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const secured: ClientsDocument['paths'][string] = {};
    for (const method of methods) {
      const operation = item[method];
      const guard = guards.get(`${method} ${path}`);
      if (!operation || !guard) continue;
      // No cookie is accepted under /trpc.
      const security = accepted[guard].filter((one) => !path.startsWith('/trpc/') || !('session' in one));
      secured[method] = { ...operation, security };
    }
    paths[path] = secured;
  }
  return { ...document, paths, components: { ...document.components, securitySchemes } };
}
