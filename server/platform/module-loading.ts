/**
 * Halves the CPU time to load the modules that a process imports after this one: compiled code is kept on disk, and
 * most modules are resolved without Node's search. Processes get it by `--require` (`server/commands/node.sh`), or import
 * it before they import the rest dynamically.
 *
 * To find a module and its format, Node reads the package.json of the package for each import, and parses it again. The
 * service loads 1,500 files; the package.json of drizzle-orm alone has 180 KB. The result
 * depends only on the folder and the extension of a file that is named by its path, and only on the name of a package
 * that a file of the service imports.
 */

import { readFileSync } from 'node:fs';
import { enableCompileCache, type ResolveFnOutput, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url).href;

// Do not use the default directory below the system's /tmp: another user could place code there.
enableCompileCache(fileURLToPath(new URL('node_modules/.cache/lingualoop', root)));
const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const aliases = new Map(
  Object.entries<string>(imports).map(([name, path]) => [
    name.slice(0, name.indexOf('*')),
    new URL(path.slice(0, path.indexOf('*')), root).href,
  ]),
);
const packages = new Map<string, ResolveFnOutput>();
const formats = new Map<string, ResolveFnOutput['format']>();
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context;
    if (!conditions.includes('import') || !parentURL.startsWith('file:')) return next(specifier, context);
    const isOwn = parentURL.startsWith(root) && !parentURL.includes('/node_modules/');
    const alias = isOwn ? aliases.get(specifier.slice(0, specifier.indexOf('/') + 1)) : undefined;
    if (alias !== undefined || /^\.\.?\//.test(specifier)) {
      const url = alias
        ? alias + specifier.slice(specifier.indexOf('/') + 1)
        : new URL(specifier, parentURL).href;
      const kind = url.replace(/[^/]*(?=\.\w+$)/, '');
      const format = formats.get(kind);
      if (format) return { url, format, shortCircuit: true };
      const found = next(specifier, context);
      // Without a "type" in package.json, the format depends on the contents of each file.
      if (found.url === url && /^module/.test(found.format ?? '')) formats.set(kind, found.format);
      return found;
    }
    const known = isOwn ? packages.get(specifier) : undefined;
    if (known) return { ...known, shortCircuit: true };
    const found = next(specifier, context);
    if (isOwn) packages.set(specifier, found);
    return found;
  },
});
