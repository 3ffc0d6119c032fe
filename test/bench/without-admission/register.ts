import { registerHooks } from 'node:module';

/** The modules that stand in for the service's own: text jobs as they were before anything was counted. */
const instead: Record<string, string> = {
  '/server/metering/committed-usage.ts': './committed-usage.ts',
  '/server/metering/usage-recording.ts': './usage-recording.ts',
  '/server/translations/insert-jobs.ts': './queries-admission.ts',
};

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, other] = Object.entries(instead).find(([path]) => resolved.url.endsWith(path)) ?? [];
    // What stands in imports what it stands in for.
    if (!other || context.parentURL?.includes('/without-admission/')) return resolved;
    return next(new URL(other, import.meta.url).href, context);
  },
});
