import type { BatchTranslationRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { openCandidates } from './open-language.tsx';
import { type Options, targetFields } from './options.ts';
import { isDone, type SeriesView } from './series.ts';
import { SeriesItem } from './series-item.tsx';

/**
 * Shows the jobs of a batch next to their texts. If an item fails, the batch stops and the error is shown at this item.
 * The member can then continue the batch with this item or without it.
 */
export function BatchResults({
  items,
  source,
  view: { state, jobs, error, places },
  resume,
  leaveOut,
  again,
}: {
  items: readonly BatchItem[];
  source: string;
  view: SeriesView;
  resume: () => Promise<void>;
  /** Continues the batch without the failed item. */
  leaveOut: (place: number) => Promise<void>;
  /** Sends a skipped item again, separately from the batch. */
  again: (place: number) => Promise<void>;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const finished = items.filter((_, place) => isDone(jobs.get(place)?.status)).length;
  const hasFailed = (place: number) => jobs.get(place)?.status === 'failed';
  const failing = state === 'failed' ? places?.find(hasFailed) : undefined;
  return (
    <Stack pad={5} isFilling>
      {items.length === 0 ? (
        <Text as="p" tone="faint">
          {t('translate.results_here')}
        </Text>
      ) : (
        <>
          <p>{t('translate.progress', { done: finished, count: items.length })}</p>
          <progress
            value={finished}
            max={items.length}
            aria-label={t('translate.results')}
            style={{ inlineSize: '100%' }}
          />
        </>
      )}
      {state === 'failed' &&
        failing === undefined &&
        !openCandidates(error) &&
        (error === undefined ? (
          <p className="notice">{t('translate.batch_lost')}</p>
        ) : (
          <Problem error={error} retry={() => void resume()} />
        ))}
      <ol className="rows">
        {items.map(({ text, target }, place) => {
          const job = jobs.get(place);
          return (
            <SeriesItem
              // The order of a batch's items does not change.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              key={place}
              job={job}
              text={text}
              source={source}
              about={nameOf(job?.request.target_lang ?? target)}
            >
              {!job && (
                <span className="hint">
                  {t(state === 'running' ? 'translate.waiting' : 'translate.not_begun')}
                </span>
              )}
              {state === 'done' && hasFailed(place) && (
                <button type="button" className="small" onClick={() => void again(place)}>
                  {t('common.retry')}
                </button>
              )}
              {place === failing && error !== undefined && (
                <>
                  <Problem error={error} />
                  <Row>
                    <button type="button" className="small primary" onClick={() => void resume()}>
                      {t('translate.resume')}
                    </button>
                    {places?.at(-1) !== place && (
                      <button type="button" className="small" onClick={() => void leaveOut(place)}>
                        {t('translate.leave_out')}
                      </button>
                    )}
                  </Row>
                </>
              )}
            </SeriesItem>
          );
        })}
      </ol>
    </Stack>
  );
}

/** A text of a batch and one of its target languages. Each item is translated by one job. */
export interface BatchItem {
  text: string;
  target: string;
}

/** Combines each text with each language. The service creates and returns the jobs in the same order. */
export function itemsOf(texts: readonly string[], targets: readonly string[]): BatchItem[] {
  return texts.flatMap((text) => targets.map((target) => ({ text, target })));
}

/**
 * Builds a batch request. The items must be in the order of `itemsOf`; consecutive items with the same text become one
 * input.
 */
export function batchRequest(
  items: readonly BatchItem[],
  source: string,
  options: Options,
): BatchTranslationRequest {
  const inputs: BatchTranslationRequest['inputs'] = [];
  for (const item of items) {
    const target = { Language: item.target, ...targetFields(options) };
    const input = inputs.at(-1);
    if (input && input.Text === item.text) input.Targets.push(target);
    else inputs.push({ Text: item.text, Language: source, TextType: options.textType, Targets: [target] });
  }
  return { inputs };
}
