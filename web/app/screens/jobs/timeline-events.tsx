import type { TranslationJob } from '#sdk/types.ts';
import { type MessageId, type Translate, useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { Text } from '../../kit/text.tsx';
import { CalibratedScore } from '../../parts/calibrated-score.tsx';
import { useFormat } from '../../parts/format.ts';
import { isolated, LanguageText } from '../../parts/language-text.tsx';
import { reviewerName } from '../../parts/member-name.tsx';
import { triggerName } from '../../parts/review-triggers.ts';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { lengthOf } from '../../parts/text-measure.ts';
import { reasonDetail } from './reason-detail.ts';
import type { SeenIssue, TimelineEvent } from './timeline.ts';

/** The heading of an event. */
export function useEventTitle(event: TimelineEvent): string {
  const t = useT();
  const { number } = useFormat();
  if ('who' in event) return t(`jobs.event_${event.kind}`, { who: reviewerName(event.who, event.via, t) });
  if (event.kind === 'checked') return t('jobs.event_checked', { score: number(event.score) });
  if (event.kind === 'verified')
    return t(event.isPassed ? 'jobs.event_verified' : 'jobs.event_not_verified', {
      score: number(event.score),
    });
  if (event.kind === 'repaired')
    return t(event.isApplied ? 'jobs.event_repaired' : 'jobs.event_not_repaired', { count: event.rounds });
  return t(titles[event.kind]);
}

const titles = {
  submitted: 'jobs.event_submitted',
  served: 'jobs.event_served',
  translated: 'jobs.status_translated',
  held: 'jobs.event_held',
  published: 'jobs.status_published',
  unpublished: 'jobs.status_persistence_failed',
  failed: 'jobs.status_failed',
  running: 'jobs.under_way',
} as const satisfies Partial<Record<TimelineEvent['kind'], MessageId>>;

/** The details of an event. */
export function EventBody({ event, job }: { event: TimelineEvent; job: TranslationJob }) {
  const t = useT();
  const { number } = useFormat();
  const language = job.request.target_lang;
  switch (event.kind) {
    case 'submitted':
      return (
        <Text as="p" tone="soft">
          {requestInWords(job, t, number)}
        </Text>
      );
    case 'served':
      return (
        <Text as="p" tone="soft">
          {event.origin ? t(`jobs.origin_${event.origin}`) : t('jobs.fast_path')}{' '}
          {event.setName && <bdi translate="no">{event.setName}</bdi>}
        </Text>
      );
    case 'translated':
      return (
        <Text as="p" tone="soft">
          {event.terms === 0 && event.matches === 0 && t('jobs.no_assets')}
          {event.terms > 0 && (
            <>
              {t('jobs.terms_applied', { count: event.terms })}{' '}
              <bdi translate="no">{event.setNames.join(', ')}</bdi>
            </>
          )}
          {event.terms > 0 && event.matches > 0 && ' · '}
          {event.matches > 0 && t('jobs.matches_used', { count: event.matches })}
        </Text>
      );
    case 'checked':
      return (
        <>
          {event.threshold !== undefined && (
            <Row gap={3}>
              <meter
                min={0}
                max={100}
                low={event.threshold}
                high={event.threshold}
                optimum={100}
                value={event.score}
                aria-label={t('jobs.assessment')}
              />
              <span>{t('jobs.minimum', { threshold: number(event.threshold) })}</span>
            </Row>
          )}
          <CalibratedScore score={event.score} language={language} />
          <Issues issues={event.issues} language={language} />
        </>
      );
    case 'repaired':
      return (
        <>
          <Text as="p" tone="soft">
            {t('jobs.new_score', { score: number(event.score) })}
          </Text>
          <Issues issues={event.issues} language={language} />
        </>
      );
    case 'verified':
      return <Issues issues={event.issues} language={language} />;
    case 'held':
      return <Reasons reasons={event.reasons} job={job} />;
    case 'saved':
    case 'approved':
    case 'edited':
    case 'rejected':
    case 'reopened':
      return (
        <>
          {event.kind === 'edited' && event.isLast && <Edit job={job} />}
          {event.notes && (
            <Text as="p" tone="soft">
              {t('jobs.notes')} <bdi>{event.notes}</bdi>
            </Text>
          )}
        </>
      );
    case 'published':
      return event.isLearned ? (
        <Text as="p" tone="soft">
          {t('jobs.learned')}
        </Text>
      ) : null;
    default:
      return 'error' in event && event.error ? (
        <Text as="p" tone="crit">
          {event.error}
        </Text>
      ) : null;
  }
}

/** The request: the length of its text, and its options. */
function requestInWords(
  { request }: TranslationJob,
  t: Translate,
  number: (value: number) => string,
): string {
  const document = request.metadata?.['source_document'] as
    | { name?: unknown; page_number?: unknown; page_count?: unknown }
    | undefined;
  const parts = [t('jobs.length', { length: number(lengthOf(request.source_text)) })];
  if (request.domain) parts.push(t('jobs.domain', { domain: isolated(request.domain) }));
  if (request.tone) parts.push(t('jobs.tone', { tone: isolated(request.tone) }));
  if (typeof document?.name === 'string')
    parts.push(
      t('jobs.page_of', {
        name: isolated(document.name),
        page: Number(document.page_number ?? 1),
        count: Number(document.page_count ?? 1),
      }),
    );
  return parts.join(' · ');
}

/** The reasons for which a translation needs a review; those that do not require it come last. */
function Reasons({
  reasons,
  job,
}: {
  reasons: Extract<TimelineEvent, { kind: 'held' }>['reasons'];
  job: TranslationJob;
}) {
  const t = useT();
  const { number } = useFormat();
  return (
    <Stack as="ul" gap={2}>
      {reasons
        .toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking))
        .map(({ code, isBlocking, text }) => {
          const detail = reasonDetail(code, job, t, number);
          return (
            <Row as="li" key={code ?? text} isTight gap={3} align="start">
              <StatusMark status={statusOf(code, isBlocking)} />
              <span>
                {code && <b>{triggerName(code, t)}</b>}
                {detail !== '' && (
                  <bdi lang={detail === undefined ? 'en' : undefined} className="hint">
                    {detail ?? text}
                  </bdi>
                )}
              </span>
            </Row>
          );
        })}
    </Stack>
  );
}

/** A policy is not a finding: the text may be perfect. */
function statusOf(code: string | undefined, isBlocking: boolean): Status {
  if (code === 'policy_required') return 'todo';
  return isBlocking ? 'critical' : 'warning';
}

/** The change that a reviewer made to the machine translation. */
function Edit({ job }: { job: TranslationJob }) {
  const kept = job.request.metadata?.['review_pipeline_candidate'];
  const before = typeof kept === 'string' ? kept : job.baseline_translation;
  if (before === null || job.final_translation === null || before === job.final_translation) return null;
  return (
    <Card tone="sunken" pad={3}>
      <TextDiff before={before} after={job.final_translation} language={job.request.target_lang} />
    </Card>
  );
}

/** @param language the language of the translation */
function Issues({ issues, language }: { issues: readonly SeenIssue[]; language: string }) {
  const t = useT();
  if (issues.length === 0) return null;
  return (
    <Stack as="ul" gap={2}>
      {issues.map(({ issue, passes }, place) => (
        // The issues of a stored job do not change.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Card as="li" key={place} pad={3} tone={issue.severity === 'critical' ? 'crit' : 'warn'}>
          <Row isTight gap={3} align="start">
            <StatusMark status={issue.severity === 'critical' ? 'critical' : 'warning'} />
            <Stack gap={1}>
              <div>
                <b>
                  {t(`jobs.severity_${issue.severity}`)} · {t(`jobs.category_${issue.category}`)}
                </b>{' '}
                <bdi>{issue.explanation}</bdi>
              </div>
              {issue.span && (
                <Text as="div" tone="soft">
                  <LanguageText as="q" language={language}>
                    {issue.span}
                  </LanguageText>
                </Text>
              )}
              {issue.suggestion && (
                <p className="hint">
                  {t('jobs.suggestion')} <bdi>{issue.suggestion}</bdi>
                </p>
              )}
              {passes.length > 1 && (
                <p className="hint">
                  {t('jobs.seen_in')} {passes.map((pass) => t(`jobs.${pass}`)).join(', ')}
                </p>
              )}
            </Stack>
          </Row>
        </Card>
      ))}
    </Stack>
  );
}
