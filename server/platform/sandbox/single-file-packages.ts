import { registerHooks } from 'node:module';

/** Packages with hundreds of modules, and the single file that contains all of them. */
const files = new Map([['@cantoo/pdf-lib', 'dist/pdf-lib.esm.min.js']]);

/** Makes imports of these packages load their single file, because finding and linking the modules takes 0.1 s. */
export function loadSingleFiles(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const file = files.get(specifier);
      const found = nextResolve(specifier, context);
      if (!file) return found;
      const folder = found.url.slice(0, found.url.lastIndexOf(`/${specifier}/`));
      return { ...found, url: `${folder}/${specifier}/${file}` };
    },
  });
}
