import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Stack } from '../../kit/box.tsx';
import { JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { Warnings } from '../../parts/warnings.tsx';

/**
 * A text of a series next to its translation, each in at most three lines.
 * @param text the text, in the language `source`, before it has a job
 * @param about which text it is
 * @param children what follows the translation
 */
export function SeriesItem({
  job,
  text,
  source,
  about,
  children,
}: {
  job: TranslationJob | undefined;
  text: string;
  source: string;
  about: string;
  children: ReactNode;
}) {
  return (
    <li>
      <Grid least={9} gap={3} align="start">
        <Stack gap={1}>
          <LanguageText language={job?.request.source_lang ?? source} className="excerpt">
            {job?.request.source_text ?? text}
          </LanguageText>
          <span className="hint">{about}</span>
        </Stack>
        <Stack gap={1} align="start">
          {job && <JobStatus status={job.status} />}
          {job?.final_translation && (
            <LanguageText language={job.request.target_lang} className="excerpt">
              {job.final_translation}
            </LanguageText>
          )}
          {job && <JobLinks job={job} />}
          {children}
        </Stack>
      </Grid>
    </li>
  );
}

/** The warnings about a job, and links to it and to its review. */
function JobLinks({ job }: { job: TranslationJob }) {
  const t = useT();
  return (
    <>
      <Warnings of={job.warnings} />
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
    </>
  );
}
