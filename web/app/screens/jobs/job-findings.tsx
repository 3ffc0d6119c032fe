import type { QualityIssue, TranslationJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText } from '../../parts/language-text.tsx';
import styles from './jobs.module.css';
import { triggers } from './search.ts';

/** Shows why the job has its status: the reasons and scores of the quality gate, and the issues found. */
export function JobFindings({ job }: { job: TranslationJob }) {
  const t = useT();
  const { number } = useFormat();
  const { quality_gate: gate, human_review_task: task } = job.agent_run;
  const rounds = [
    [t('jobs.assessment'), job.quality_assessment],
    [t('jobs.refinement'), job.refinement],
    [t('jobs.verification'), job.verification],
  ] as const;
  if (!gate && rounds.every(([, found]) => !found)) return null;
  return (
    <section aria-labelledby="findings" className={styles.findings}>
      <h2 id="findings">{t('jobs.findings')}</h2>
      {gate && (
        <p>
          {t('jobs.score', { score: number(gate.score), threshold: number(gate.threshold) })}
          {gate.metadata['fast_path'] ? ` ${t('jobs.fast_path')}` : ''}
        </p>
      )}
      {gate && gate.reasons.length > 0 && (
        <ul className={styles.reasons}>
          {gate.reasons.map((reason, place) => (
            <li key={gate.triggers[place]?.code ?? reason}>
              <span className={gate.triggers[place]?.severity === 'blocking' ? 'badge bad' : 'badge'}>
                <TriggerName code={gate.triggers[place]?.code} />
              </span>{' '}
              <bdi lang="en">{reason}</bdi>
            </li>
          ))}
        </ul>
      )}
      {task?.completed_by && (
        <p>
          {t('jobs.reviewed_by')} <bdi translate="no">{task.completed_by}</bdi>
        </p>
      )}
      {rounds.map(
        ([name, found]) =>
          found && (
            <div key={name}>
              <h3>
                {name} · {number(found.score)}
              </h3>
              <p>
                <bdi>{found.summary}</bdi>
              </p>
              <Issues issues={found.issues} language={job.request.target_lang} />
            </div>
          ),
      )}
    </section>
  );
}

/** The label of a trigger of the quality gate. For an unknown trigger, its code is shown. */
function TriggerName({ code }: { code: string | undefined }) {
  const t = useT();
  const known = triggers.find((one) => one === code);
  return known ? t(`jobs.trigger_${known}`) : code;
}

function Issues({ issues, language }: { issues: readonly QualityIssue[]; language: string }) {
  const t = useT();
  if (issues.length === 0) return null;
  return (
    <ul className="rows">
      {issues.map((issue, place) => (
        // The issues of a stored job do not change.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={place}>
          <span className={issue.severity === 'critical' ? 'badge bad' : 'badge'}>
            {t(`jobs.severity_${issue.severity}`)}
          </span>{' '}
          {t(`jobs.category_${issue.category}`)}: <bdi>{issue.explanation}</bdi>
          {issue.span && (
            <LanguageText language={language} className={styles.span}>
              {issue.span}
            </LanguageText>
          )}
          {issue.suggestion && (
            <LanguageText language={language} className={styles.span}>
              {issue.suggestion}
            </LanguageText>
          )}
        </li>
      ))}
    </ul>
  );
}
