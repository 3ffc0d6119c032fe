import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { JobDownloads } from '../../parts/job-downloads.tsx';
import { isDownloadable, isUnderWay, JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Reopen } from '../../parts/reopen.tsx';
import { SourceLanguage } from '../../parts/source-language.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { JobFindings } from './job-findings.tsx';
import { JobSteps } from './job-steps.tsx';
import styles from './jobs.module.css';

/** `/jobs/{id}`: one job with its result, the reasons for its status, and its steps. */
export function JobScreen() {
  const t = useT();
  const { jobId } = useParams({ from: '/workspace/jobs/$jobId' });
  const job = useQuery({
    queryKey: queryKeys.jobs.job(jobId),
    queryFn: () => client.translations.get(jobId),
    // Most jobs take seconds. If a job takes longer, it is polled less often.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && isUnderWay(data.status) ? Math.min(2000 + 500 * dataUpdateCount, 10_000) : false,
  });
  return (
    <>
      <title>{`${t('jobs.job')} · LinguaLoop`}</title>
      <p>
        <Link to="/app/texts">{t('jobs.all')}</Link>
      </p>
      <h1>{t('jobs.job')}</h1>
      <Read from={job} lines={12}>
        {(found) => <Job job={found} />}
      </Read>
    </>
  );
}

function Job({ job }: { job: TranslationJob }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { moment } = useFormat();
  const { request, agent_run: run } = job;
  const text = job.final_translation ?? job.baseline_translation;
  return (
    <>
      <div className={styles.summary}>
        <JobStatus status={job.status} />
        <span>
          <SourceLanguage request={request} /> → {nameOf(request.target_lang)}
        </span>
        <time dateTime={job.updated_at}>{moment(job.updated_at)}</time>
        <bdi translate="no" className="hint">
          {job.id}
        </bdi>
      </div>
      {(job.status === 'awaiting_review' || job.status === 'refined') && (
        <p className={styles.waits}>
          {t('jobs.waits')}{' '}
          <Link to="/app/edit/texts" search={{ item: job.id }}>
            {t('jobs.review')}
          </Link>
        </p>
      )}
      {run.human_review_task?.completed_at && (
        <p>
          <Reopen
            item={{ kind: 'job', id: job.id }}
            decidedAt={run.human_review_task.completed_at}
            decidedBy={run.human_review_task.completed_by}
          />
        </p>
      )}
      {run.error && <p className="problem">{run.error}</p>}
      <Warnings of={job.warnings} />
      <div className={styles.texts}>
        <section aria-labelledby="source">
          <h2 id="source">{nameOf(request.source_lang)}</h2>
          <LanguageText language={request.source_lang} className={styles.text}>
            {request.source_text}
          </LanguageText>
        </section>
        <section aria-labelledby="result">
          <h2 id="result">{nameOf(request.target_lang)}</h2>
          {text === null && (
            <p className="hint">{t(isUnderWay(job.status) ? 'jobs.under_way' : 'jobs.no_result')}</p>
          )}
          {text !== null && (
            <>
              <LanguageText language={request.target_lang} className={styles.text}>
                {text}
              </LanguageText>
              <div className="actions">
                <CopyButton text={text} />
              </div>
            </>
          )}
          {isDownloadable(job.status) && <JobDownloads jobId={job.id} />}
        </section>
      </div>
      <JobFindings job={job} />
      <JobSteps run={run} />
      <Removal job={job} />
    </>
  );
}

/** Deletes the job with its records, which only administrators may do. */
function Removal({ job }: { job: TranslationJob }) {
  const t = useT();
  const me = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  if (!me.data || !isAdministrator(me.data)) return null;
  const remove = async () => {
    await client.translations.delete(job.id);
    announce(t('jobs.deleted'));
    await navigate({ to: '/app/texts' });
    queries.removeQueries({ queryKey: queryKeys.jobs.job(job.id) });
    await queries.invalidateQueries({ queryKey: queryKeys.jobs.all });
  };
  return (
    <section aria-labelledby="removal">
      <h2 id="removal">{t('jobs.delete_title')}</h2>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        {t('jobs.delete')}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={t('jobs.delete_question')}
          action={t('jobs.delete')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t('jobs.delete_why')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
