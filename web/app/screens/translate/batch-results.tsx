import { Link } from '@tanstack/react-router';
import type { BatchTranslationRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { openCandidates } from './open-language.tsx';
import { type Options, targetFields } from './options.ts';
import styles from './panes.module.css';
import { isDone, type SeriesView } from './series.ts';

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
    <div className={styles.content}>
      {items.length === 0 && <p className={styles.empty}>{t('translate.results_here')}</p>}
      {items.length > 0 && (
        <>
          <p>{t('translate.progress', { done: finished, count: items.length })}</p>
          <progress value={finished} max={items.length} aria-label={t('translate.results')} />
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
            // The order of a batch's items does not change.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={place} className={styles.item}>
              <div>
                <LanguageText language={job?.request.source_lang ?? source} className={styles.excerpt}>
                  {job?.request.source_text ?? text}
                </LanguageText>
                <span className="hint">{nameOf(job?.request.target_lang ?? target)}</span>
              </div>
              <div>
                {job && <JobStatus status={job.status} />}
                {!job && (
                  <span className="hint">
                    {t(state === 'running' ? 'translate.waiting' : 'translate.not_begun')}
                  </span>
                )}
                {job?.final_translation && (
                  <LanguageText language={job.request.target_lang} className={styles.excerpt}>
                    {job.final_translation}
                  </LanguageText>
                )}
                {job && <Warnings of={job.warnings} />}
                {job && (
                  <p>
                    <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                      {t('jobs.open')}
                    </Link>
                    {job.status === 'awaiting_review' && (
                      <>
                        {' · '}
                        <Link to="/app/edit/texts" search={{ item: job.id }}>
                          {t('translate.open_review')}
                        </Link>
                      </>
                    )}
                  </p>
                )}
                {state === 'done' && hasFailed(place) && (
                  <button type="button" className="small" onClick={() => void again(place)}>
                    {t('common.retry')}
                  </button>
                )}
                {place === failing && error !== undefined && (
                  <>
                    <Problem error={error} />
                    <div className="actions">
                      <button type="button" className="small primary" onClick={() => void resume()}>
                        {t('translate.resume')}
                      </button>
                      {places?.at(-1) !== place && (
                        <button type="button" className="small" onClick={() => void leaveOut(place)}>
                          {t('translate.leave_out')}
                        </button>
                      )}
                    </div>
                  </>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </div>
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
