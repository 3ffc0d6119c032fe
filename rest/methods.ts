import type { FastifyInstance } from 'fastify';
import { AppError } from '#server/errors.ts';

/** Which methods each path has; asked only about requests that no route took. */
export interface KnownPaths {
  /** The refusal of a request that met no route: 405 with what is allowed where the path is known, else 404. */
  refusalFor(url: string): { error: AppError; allow?: string };
}

/** Collects every path and method that is registered after this call. */
export function collectPaths(app: FastifyInstance): KnownPaths {
  const methodsOf = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
    const known = methodsOf.get(url) ?? { pattern, methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    methodsOf.set(url, known);
  });
  return {
    refusalFor(url) {
      const path = url.split('?', 1)[0] as string;
      const known = [...methodsOf.values()].find(({ pattern }) => pattern.test(path));
      return known
        ? {
            error: new AppError('method_not_allowed', 'method not allowed'),
            allow: [...known.methods].sort().join(', '),
          }
        : { error: new AppError('route_not_found', 'not found') };
    },
  };
}
