import { registerHooks } from 'node:module';

/** The modules that replace the service's own: text jobs without admission. */
const instead: Record<string, string> = {
  '/server/billing/metering/committed-usage.ts': './committed-usage.ts',
  '/server/billing/metering/usage-recording.ts': './usage-recording.ts',
  '/server/translation/texts/insert-jobs.ts': './queries-admission.ts',
};

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, other] = Object.entries(instead).find(([path]) => resolved.url.endsWith(path)) ?? [];
    // A replacement imports the module that it replaces.
    if (!other || context.parentURL?.includes('/without-admission/')) return resolved;
    return next(new URL(other, import.meta.url).href, context);
  },
});
