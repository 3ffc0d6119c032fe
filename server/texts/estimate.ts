import { findRefusal } from '#server/billing/metering/entitlement.ts';
import { credentialOf } from '#server/billing/metering/submitter.ts';
import type { Services } from '#server/context.ts';
import { startDeadline } from '#server/http/request-limits.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { takeTurn } from '#server/platform/sandbox-errors.ts';
import { countWork } from '#server/translation/count-work.ts';
import {
  readEstimateAllowance,
  refusalView,
  type TranslationEstimate,
} from '#server/translation/estimate.ts';
import type { SourceDetection } from '#server/translation/intake/source-language.ts';
import { refuseByMaximum, type SubmissionLimits } from '#server/translation/intake/submission-limits.ts';
import { textPolicy } from '#server/translation/pipeline/policy.ts';
import { billableCharsOf, isWork, planItems, type Submitted } from './admit-series.ts';
import type { TranslationRequest } from './schema.ts';
import { type LookedUp, lookUp } from './submission.ts';

/**
 * Estimates the work and the price of texts. Makes the checks of a submission, but those that may change until it is
 * sent, such as the allowance, are reported and not thrown. Writes nothing.
 * @param submitted have passed `checkRequest`
 * @throws AppError 401, 422, 503
 */
export async function estimateTexts(
  services: Pick<
    Services,
    'accountStores' | 'database' | 'embedder' | 'fileWork' | 'glossaries' | 'log' | 'settings'
  >,
  withTenant: WithTenant,
  submitted: readonly Submitted[],
  limits: Pick<SubmissionLimits, 'maxCharacters'>,
): Promise<TranslationEstimate> {
  const { settings } = services;
  const requests = submitted.map(({ request }) => request);
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  const planned = await withTenant(
    async (tx, principal, { known, gates, prefetched }: LookedUp) => {
      const tenantId = principal.tenant.id;
      const items = planItems(submitted, known, settings);
      const chars = billableCharsOf(items);
      const asked = { kind: 'text', credential: credentialOf(principal), chars } as const;
      const refusal =
        chars === 0
          ? null
          : (refuseByMaximum(limits, chars) ??
            (await findRefusal(tx, settings, { tenantId, tenant: gates.tenant }, asked, keys)) ??
            gates.storageRefusal);
      const allowance = await readEstimateAllowance(tx, tenantId, settings);
      return { tenantId, items, refusal, allowance, prefetched };
    },
    (tx) => lookUp(tx, services, requests, keys),
  );
  const { tenantId, items, refusal, allowance, prefetched } = planned;
  const work = items.filter(isWork);
  const texts = work.map(({ request, weight }) => ({
    request,
    plain: request.source_text,
    characters: weight.sourceChars,
  }));
  using deadline = startDeadline(settings.REQUEST_DEADLINE_SECONDS);
  const scope = { tenantId, signal: deadline.signal };
  const counted = await takeTurn(services.fileWork, scope, () =>
    countWork(services, scope, texts, { found: prefetched }),
  );
  const { unchanged: _, repetitions_across: __, ...figures } = counted;
  const rules = work.map(({ request }) => textPolicy(request).rules.map(({ reason }) => reason));
  return {
    dry_run: true,
    jobs: work.length,
    existing_jobs: items.length - work.length,
    source_lang: requests[0]!.source_lang,
    source_lang_detection: detectionOf(requests[0]!),
    ...figures,
    billable_characters: billableCharsOf(items),
    review: {
      jobs: rules.filter((broken) => broken.length > 0).length,
      reasons: [...new Set(rules.flat())],
    },
    allowance,
    refusal: refusalView(refusal),
    warnings: uniqueWarnings(submitted),
  };
}

function detectionOf({ metadata }: TranslationRequest): SourceDetection | null {
  return (metadata['source_lang_detection'] as SourceDetection | undefined) ?? null;
}

/** Returns the warnings of all requests, each once. */
function uniqueWarnings(submitted: readonly Submitted[]): TranslationEstimate['warnings'] {
  const all = submitted.flatMap(({ warnings }) => warnings);
  return [...new Map(all.map((warning) => [JSON.stringify(warning), warning])).values()];
}
