import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { useT } from '../../i18n.tsx';
import { CalibratedScore } from '../../parts/calibrated-score.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { problemText } from '../../parts/problem.tsx';
import { triggerName } from '../../parts/review-triggers.ts';
import { TextDiff } from '../../parts/text-diff.tsx';
import { queryKeys } from '../../query-keys.ts';
import { JobTimeline } from '../../screens/jobs/job-timeline.tsx';
import { translationService } from '../../translation-service.ts';
import type { OpenField } from '../open-segment.tsx';
import type { Counts } from '../row-source.ts';
import { SidePanel } from '../side-panel.tsx';
import type { TextSegment } from './text-list.ts';

const FlaggedList = lazily(async () => ({
  default: (await import('../issues-tab.tsx')).IssueList<TextSegment>,
}));

/** The side panel of texts: information about the open text. */
export function TextPanel({
  segment,
  segments,
  outline,
  field,
  onOpen,
}: {
  segment: TextSegment | undefined;
  segments: readonly TextSegment[];
  outline: Counts;
  field: RefObject<OpenField | null>;
  onOpen: (position: number) => void;
}) {
  return (
    <SidePanel
      segment={segment}
      languages={segment?.languages}
      field={field}
      outline={outline}
      about={segment && { kind: 'job', id: segment.id }}
      issues={
        <>
          {segment && <Reasons segment={segment} />}
          <Flagged segments={segments} onOpen={onOpen} />
        </>
      }
      history={segment && <History segment={segment} />}
    />
  );
}

/** Why the open text awaits review. */
function Reasons({ segment: { reasons, quality, threshold, languages } }: { segment: TextSegment }) {
  const t = useT();
  return (
    <section>
      <h3>{t('review.reasons')}</h3>
      <ul className="rows">
        {reasons.map(({ code, reason }) => (
          <li key={code}>
            <b>{triggerName(code, t)}</b>
            {reason && (
              <bdi className="hint" lang="en">
                {reason}
              </bdi>
            )}
          </li>
        ))}
      </ul>
      {quality.score !== null && threshold !== null && (
        <>
          <p className="hint">{t('review.score', { score: quality.score, threshold })}</p>
          <CalibratedScore score={quality.score} language={languages.target} />
        </>
      )}
    </section>
  );
}

/** The texts with findings that no one has decided about: critical ones first. */
function Flagged({
  segments,
  onOpen,
}: {
  segments: readonly TextSegment[];
  onOpen: (position: number) => void;
}) {
  const t = useT();
  const flagged = (['critical', 'warning'] as const).flatMap((status) =>
    segments.filter((segment) => segment.status === status),
  );
  if (flagged.length === 0) return <p className="hint">{t('editor.no_text_issues')}</p>;
  return (
    <FlaggedList
      rows={flagged}
      otherwise={({ status, reasons: [reason] }) =>
        reason ? triggerName(reason.code, t) : t(`editor.status_${status}`)
      }
      onOpen={onOpen}
    />
  );
}

/** The events of a text, and what reviewers have changed. */
function History({
  segment: { id, version, pipeline_text, target_text, languages },
}: {
  segment: TextSegment;
}) {
  const t = useT();
  const { data: job, error } = useQuery({
    queryKey: [...queryKeys.jobs.job(id), version],
    queryFn: ({ signal }) => translationService.get(id, { signal }),
  });
  if (error) return <p className="hint">{problemText(error, t)}</p>;
  return (
    <>
      {pipeline_text !== null && (
        <section>
          <h3>{t('review.changes')}</h3>
          <TextDiff before={pipeline_text} after={target_text ?? ''} language={languages.target} />
        </section>
      )}
      {job && <JobTimeline job={job} />}
    </>
  );
}
