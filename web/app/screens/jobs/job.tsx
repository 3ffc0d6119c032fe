import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { TranslationJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { Text } from '../../kit/text.tsx';
import { CopyButton, copyName } from '../../parts/copy-button.tsx';
import { JobDownloads } from '../../parts/job-downloads.tsx';
import { isDownloadable, isUnderWay, JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Reopen } from '../../parts/reopen.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { queryKeys } from '../../query-keys.ts';
import { isVisitor } from '../../session/keeper.ts';
import { translationService } from '../../translation-service.ts';
import styles from './job.module.css';
import { JobFacts } from './job-facts.tsx';
import { JobTimeline } from './job-timeline.tsx';

/** `/jobs/{id}`: one job with its texts, what happened to it, and its facts. */
export function JobScreen() {
  const { jobId } = useParams({ from: '/workspace/jobs/$jobId' });
  const job = useQuery({
    queryKey: queryKeys.jobs.job(jobId),
    queryFn: () => translationService.get(jobId),
    // Most jobs take seconds. If a job takes longer, it is polled less often.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && isUnderWay(data.status) ? Math.min(2000 + 500 * dataUpdateCount, 10_000) : false,
  });
  return (
    <Read from={job} lines={12} heading="jobs.job">
      {(found) => <Job job={found} />}
    </Read>
  );
}

/** Maximum characters of the source text in the heading. */
const maxHeading = 80;

function Job({ job }: { job: TranslationJob }) {
  const t = useT();
  const { request, agent_run: run } = job;
  const text = job.final_translation ?? job.baseline_translation;
  const { source_text: source } = request;
  const excerpt = [...source.slice(0, 4 * maxHeading)];
  return (
    <>
      <title>{`${t('jobs.job')} · LinguaLoop`}</title>
      <PageHead
        before={
          <Link to="/app/texts" className="button ghost" aria-label={t('jobs.all')} title={t('jobs.all')}>
            <ChevronLeft size={18} aria-hidden className="mirrored" />
          </Link>
        }
        title={
          <>
            <span className="visually-hidden">{t('jobs.job')} </span>
            <LanguageText as="bdi" language={request.source_lang}>
              {excerpt.slice(0, maxHeading).join('')}
              {excerpt.length > maxHeading && '…'}
            </LanguageText>
          </>
        }
        aside={<JobStatus status={job.status} />}
      >
        {text !== null && <CopyButton text={text} name={copyName(job.status)} />}
        {isDownloadable(job.status) && !isVisitor() && <JobDownloads jobId={job.id} />}
      </PageHead>
      <div className={styles.columns}>
        <Stack gap={4}>
          {(job.status === 'awaiting_review' || job.status === 'refined') && (
            <Card tone="warn" pad={3}>
              <Row justify="space-between">
                {t('jobs.waits')}
                <Link to="/app/edit/texts" search={{ item: job.id }} className="button primary">
                  {t('jobs.review')}
                </Link>
              </Row>
            </Card>
          )}
          <Warnings of={job.warnings} />
          <Texts job={job} text={text} />
          {run.human_review_task?.completed_at && (
            <p>
              <Reopen
                item={{ kind: 'job', id: job.id }}
                decidedBy={run.human_review_task.claimed_via ? null : run.human_review_task.completed_by}
              />
            </p>
          )}
          <JobTimeline job={job} />
        </Stack>
        <JobFacts job={job} />
      </div>
    </>
  );
}

/** Source and translation, side by side. */
function Texts({ job, text }: { job: TranslationJob; text: string | null }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { request } = job;
  return (
    <Grid least={18}>
      <Card as="section" tone="sunken" gap={2} aria-labelledby="source">
        <Text as="h2" id="source" size="xs" weight="medium" tone="faint">
          {nameOf(request.source_lang)}
        </Text>
        <LanguageText language={request.source_lang} className={styles.text}>
          {request.source_text}
        </LanguageText>
      </Card>
      <Card as="section" gap={2} aria-labelledby="result">
        <Text as="h2" id="result" size="xs" weight="medium" tone="faint">
          {nameOf(request.target_lang)}
        </Text>
        {text === null ? (
          <p className="hint">{t(isUnderWay(job.status) ? 'jobs.under_way' : 'jobs.no_result')}</p>
        ) : (
          <LanguageText language={request.target_lang} className={styles.text}>
            {text}
          </LanguageText>
        )}
      </Card>
    </Grid>
  );
}
