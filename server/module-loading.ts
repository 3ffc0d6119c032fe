import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

/**
 * Makes the modules that a process imports after this call load in half the CPU time: keeps compiled code on disk, and resolves
 * drizzle-orm's own imports without reading its package.json.
 *
 * To tell the format of a module, Node parses the package.json of its package, each time anew. That of drizzle-orm has
 * 180 KB, and the package 150 modules.
 */
export function loadModulesFast(): void {
  // Do not use the default folder under the system's /tmp: another user could place code there.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/lingualoop'));
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (!parentURL?.includes('/node_modules/drizzle-orm/') || !/^\.\.?\/.*\.js$/.test(specifier))
        return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
