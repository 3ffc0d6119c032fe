import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, type RefObject, useDeferredValue } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText } from '../../parts/language-text.tsx';
import { problemText } from '../../parts/problem.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { queryKeys } from '../../query-keys.ts';
import { type Item, pipelineText, type TriggerCode } from './items.ts';
import styles from './review.module.css';
import { triggerNames } from './trigger-names.ts';
import type { useTextCheck } from './use-text-check.ts';

/** The TM matches for an item's source text, the best first. */
export function useMatches({ id, source, sourceLang, targetLang, isHtml }: Item) {
  return useQuery({
    queryKey: queryKeys.memory.matches(id),
    queryFn: ({ signal }) =>
      client.memory.matches(
        {
          source_text: source,
          source_lang: sourceLang,
          target_lang: targetLang,
          text_type: isHtml ? 'Html' : 'Plain',
        },
        { signal },
      ),
    staleTime: 60_000,
  });
}

/** The glossary terms in an item's source text, with the target terms that the glossary requires. */
function useTerms({ id, source, sourceLang, targetLang, isHtml }: Item) {
  const { data } = useQuery({
    queryKey: queryKeys.terminology.matches(id),
    queryFn: ({ signal }) =>
      client.terminology.matches(
        {
          source_text: source,
          source_lang: sourceLang,
          target_lang: targetLang,
          text_type: isHtml ? 'Html' : 'Plain',
        },
        { signal },
      ),
    staleTime: 60_000,
  });
  return data?.terms ?? [];
}

/** The right column of the screen: information about the open translation. */
export function Side({
  job,
  item,
  triggers,
  text,
  check,
  matches,
  onInsert,
  diff,
}: {
  /** Undefined while the job is loading. */
  job: TranslationJob | undefined;
  item: Item;
  triggers: readonly TriggerCode[];
  text: string;
  check: ReturnType<typeof useTextCheck>;
  matches: ReturnType<typeof useMatches>;
  onInsert: (text: string, as: 'match' | 'at_caret') => void;
  diff: RefObject<HTMLDetailsElement | null>;
}) {
  const t = useT();
  const later = useDeferredValue(text);
  const gate = job?.agent_run.quality_gate;
  const reasons = gate
    ? gate.triggers.map(({ code }, index) => ({ code, reason: gate.reasons[index] }))
    : triggers.map((code) => ({ code, reason: undefined }));
  const judged = job?.quality_assessment?.issues ?? [];
  const terms = useTerms(item);
  return (
    <div className={styles.side}>
      <Part title={t('review.reasons')}>
        <ul className="rows">
          {reasons.map(({ code, reason }) => (
            <li key={code}>
              <strong>{t(triggerNames[code])}</strong>
              {reason && (
                <bdi className="hint" lang="en">
                  {reason}
                </bdi>
              )}
            </li>
          ))}
        </ul>
        {gate && (
          <p className="hint">{t('review.score', { score: gate.score, threshold: gate.threshold })}</p>
        )}
      </Part>
      <Part title={t('review.issues', { count: check.issues.length + judged.length })}>
        {check.error ? <p className="hint">{problemText(check.error, t)}</p> : null}
        {check.lost.map((span) => (
          <button key={span} type="button" className={styles.lost} onClick={() => onInsert(span, 'at_caret')}>
            {t('review.put_back')} <bdi translate="no">{span}</bdi>
          </button>
        ))}
        <Issues issues={check.issues} />
        {judged.length > 0 && <h4>{t('review.judged')}</h4>}
        <Issues issues={judged} />
        {check.issues.length + judged.length === 0 && <p className="hint">{t('review.no_issues')}</p>}
      </Part>
      <Part title={t('review.matches', { count: matches.data?.matches.length ?? 0 })}>
        <Matches matches={matches} item={item} onInsert={(target) => onInsert(target, 'match')} />
      </Part>
      {terms.length > 0 && (
        <Part title={t('review.terms', { count: terms.length })}>
          <ul className="rows">
            {terms.map(({ source_term, target_terms, set_name }) => (
              <li key={source_term}>
                <LanguageText as="span" language={item.sourceLang}>
                  {source_term}
                </LanguageText>
                {' → '}
                <LanguageText as="span" language={item.targetLang}>
                  {target_terms.join(' · ')}
                </LanguageText>{' '}
                {check.missingTerms.includes(target_terms[0] ?? '') && (
                  <span className={styles.missing}>{t('review.term_missing')}</span>
                )}
                <span className="hint">
                  <bdi>{set_name}</bdi>
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <details ref={diff} className={styles.part} open>
        <summary>
          <h3>{t('review.changes')}</h3>
        </summary>
        {job && pipelineText(job) !== later ? (
          <TextDiff before={pipelineText(job)} after={later} language={item.targetLang} />
        ) : (
          <p className="hint">{t('review.no_changes')}</p>
        )}
      </details>
      {job && <Steps job={job} />}
    </div>
  );
}

function Part({ title, isOpen = true, children }: { title: string; isOpen?: boolean; children: ReactNode }) {
  return (
    <details className={styles.part} open={isOpen}>
      <summary>
        <h3>{title}</h3>
      </summary>
      {children}
    </details>
  );
}

type Issue = NonNullable<TranslationJob['quality_assessment']>['issues'][number];

function Issues({ issues }: { issues: readonly Issue[] }) {
  const t = useT();
  return (
    <ul className="rows">
      {issues.map(({ severity, span, explanation, suggestion }) => (
        <li key={`${severity} ${span} ${explanation}`}>
          <strong className={styles[severity]}>{t(`review.${severity}`)}</strong> <bdi>{explanation}</bdi>
          {span && (
            <>
              {' '}
              <bdi translate="no" className={styles.span}>
                {span}
              </bdi>
            </>
          )}
          {suggestion && (
            <span className="hint">
              {t('review.suggestion')} <bdi translate="no">{suggestion}</bdi>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Matches({
  matches: { data, error },
  item,
  onInsert,
}: {
  matches: ReturnType<typeof useMatches>;
  item: Item;
  onInsert: (target: string) => void;
}) {
  const t = useT();
  const { day } = useFormat();
  if (error) return <p className="hint">{problemText(error, t)}</p>;
  if (data?.matches.length === 0) return <p className="hint">{t('review.no_matches')}</p>;
  return (
    <ul className="rows">
      {data?.matches.map((match) => (
        <li key={`${match.set_id} ${match.source_text} ${match.target_text}`}>
          {match.kind === 'close' && (
            <TextDiff before={item.source} after={match.source_text} language={item.sourceLang} />
          )}
          <LanguageText language={item.targetLang} className={styles.match}>
            {match.target_text}
          </LanguageText>
          <span className="hint">
            {t('review.match_score', { score: match.score })} · <bdi>{match.set_name}</bdi>
            {match.changed_at && ` · ${day(match.changed_at)}`}
          </span>
          <button type="button" className="small" onClick={() => onInsert(match.target_text)}>
            {t('review.insert')}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The steps of the pipeline and of reviewers, in order. */
function Steps({ job }: { job: TranslationJob }) {
  const t = useT();
  const { moment } = useFormat();
  const { steps } = job.agent_run;
  return (
    <Part title={t('review.steps', { count: steps.length })} isOpen={false}>
      <ol className={styles.steps}>
        {steps.map(({ id, name, actor, status, output_summary, error, started_at }) => (
          <li key={id}>
            <strong translate="no">{name}</strong> <bdi translate="no">{actor}</bdi>
            <span className="hint">
              {[t(`jobs.step_${status}`), moment(started_at)].join(' · ')}
              {[output_summary, error].filter(Boolean).map((summary) => (
                <Fragment key={summary}>
                  {' · '}
                  <bdi lang="en">{summary}</bdi>
                </Fragment>
              ))}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}
