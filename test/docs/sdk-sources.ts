import { registerHooks } from 'node:module';

/**
 * Programs in the documentation import the SDK as a package. In the tests, this import resolves to the sources of the
 * SDK, which need no build.
 */
registerHooks({
  resolve(specifier, context, next) {
    const name = /^@lingualoop\/sdk(?:\/(testing))?$/.exec(specifier);
    if (!name) return next(specifier, context);
    return next(new URL(`../../sdk/src/${name[1] ?? 'index'}.ts`, import.meta.url).href, context);
  },
});
