import { registerHooks } from 'node:module';

/** Programs of the pages import the SDK as its users do; here that is its sources, which need no build. */
registerHooks({
  resolve(specifier, context, next) {
    const name = /^@lingualoop\/sdk(?:\/(testing))?$/.exec(specifier);
    if (!name) return next(specifier, context);
    return next(new URL(`../../sdk/src/${name[1] ?? 'index'}.ts`, import.meta.url).href, context);
  },
});
