import { registerHooks } from 'node:module';

/** The modules that replace modules of the service, so that text jobs run without admission. */
const instead: Record<string, string> = {
  '/server/billing/metering/committed-usage.ts': './committed-usage.ts',
  '/server/billing/metering/usage-recording.ts': './usage-recording.ts',
  '/server/translation/texts/insert-jobs.ts': './queries-admission.ts',
};

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, other] = Object.entries(instead).find(([path]) => resolved.url.endsWith(path)) ?? [];
    // A replacement itself must be able to import the module that it replaces.
    if (!other || context.parentURL?.includes('/without-admission/')) return resolved;
    return next(new URL(other, import.meta.url).href, context);
  },
});
