import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ArrowRight, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AgentDecision, AgentRun, TranslationJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { reviewerName } from '../../parts/member-name.tsx';
import { SourceLanguage } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { translationService } from '../../translation-service.ts';
import styles from './job.module.css';

/** The facts of a job, the details for technicians, and its deletion. */
export function JobFacts({ job }: { job: TranslationJob }) {
  const t = useT();
  const { moment, number } = useFormat();
  const { nameOf } = useLanguages();
  const { request, agent_run: run, status } = job;
  const isBilled = status !== 'failed' && status !== 'pending';
  const weight = weightOf(lengthOf(request.source_text), request.source_lang, request.target_lang);
  return (
    <Card as="aside" pad={4} aria-labelledby="facts">
      <Text as="h2" id="facts" size="xs" weight="medium" tone="faint">
        {t('jobs.facts')}
      </Text>
      <Stack as="dl" gap={2}>
        <Fact name={t('jobs.languages')}>
          <SourceLanguage request={request} /> <ArrowRight size={12} aria-hidden className="mirrored" />
          <span className="visually-hidden">→</span> {nameOf(request.target_lang)}
        </Fact>
        <Fact name={t('jobs.submitted')}>
          <time dateTime={job.created_at}>{moment(job.created_at)}</time>
        </Fact>
        <Fact name={t('jobs.updated')}>
          <time dateTime={job.updated_at}>{moment(job.updated_at)}</time>
        </Fact>
        {isBilled && (
          <Fact name={t('jobs.cost')}>{t('translate.characters', { length: number(weight) })}</Fact>
        )}
        {run.human_review_task?.completed_by && (
          <Fact name={t('jobs.reviewed_by')}>
            <bdi translate="no">
              {reviewerName(run.human_review_task.completed_by, run.human_review_task.claimed_via, t)}
            </bdi>
          </Fact>
        )}
        <Fact name={t('jobs.id')}>
          <code translate="no">{job.id}</code>
        </Fact>
      </Stack>
      <details>
        <summary>{t('jobs.details', { count: run.steps.length })}</summary>
        <JobSteps run={run} />
      </details>
      <details>
        <summary>{t('jobs.as_json')}</summary>
        <Json job={job} />
      </details>
      <Removal job={job} />
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Row justify="space-between" gap={3} align="baseline">
      <Text as="dt" size="sm" tone="faint">
        {name}
      </Text>
      <Text as="dd" size="sm">
        {children}
      </Text>
    </Row>
  );
}

/** The job as the API returns it. */
function Json({ job }: { job: TranslationJob }) {
  const t = useT();
  const text = JSON.stringify(job, null, 2);
  return (
    <>
      <CopyButton text={text} />
      <textarea
        readOnly
        rows={14}
        className={styles.json}
        translate="no"
        dir="ltr"
        aria-label={t('jobs.as_json')}
        value={text}
      />
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
    await translationService.delete(job.id);
    announce(t('jobs.deleted'));
    await navigate({ to: '/app/texts' });
    queries.removeQueries({ queryKey: queryKeys.jobs.job(job.id) });
    await queries.invalidateQueries({ queryKey: queryKeys.jobs.all });
  };
  return (
    <>
      <button type="button" className="danger small" onClick={() => setAsking(true)}>
        <Trash2 size={15} aria-hidden />
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
    </>
  );
}

/** The steps of the pipeline and of reviewers, in order, with their decisions and provenance. */
function JobSteps({ run }: { run: AgentRun }) {
  const t = useT();
  return (
    <ol className="rows">
      {run.steps.map((step) => (
        <li key={step.id}>
          <Row gap={3}>
            <b translate="no">{step.name}</b>
            <span className="hint" translate="no">
              {reviewerName(step.actor, step.claimed_via, t)}
            </span>
            <Badge tone={step.status === 'failed' ? 'bad' : undefined}>{t(`jobs.step_${step.status}`)}</Badge>
            <Duration from={step.started_at} to={step.completed_at} />
          </Row>
          {step.output_summary && (
            <p>
              <bdi lang="en">{step.output_summary}</bdi>
            </p>
          )}
          {step.error && (
            <p className="problem">
              <bdi lang="en">{step.error}</bdi>
            </p>
          )}
          {step.tool_calls.map((call) => (
            <p key={call.id} className="hint">
              <b translate="no">{call.tool_name}</b> <bdi lang="en">{call.error ?? call.output_summary}</bdi>
            </p>
          ))}
          {step.decisions.map((decision) => (
            <Decision key={decision.id} decision={decision} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function Decision({ decision: { label, outcome, rationale, provenance } }: { decision: AgentDecision }) {
  const t = useT();
  const { day } = useFormat();
  return (
    <Text as="div" size="sm">
      <bdi>{label}</bdi>: <b translate="no">{outcome}</b> {rationale && <bdi>{rationale}</bdi>}
      {provenance && (
        <span className="hint">
          {t(`jobs.origin_${provenance.origin}`)} <bdi translate="no">{provenance.set_name}</bdi>
          {provenance.tuid && (
            <>
              {' · '}
              <bdi translate="no">{provenance.tuid}</bdi>
            </>
          )}
          {provenance.changedate && ` · ${day(provenance.changedate)}`}
        </span>
      )}
    </Text>
  );
}

/** The duration of a step. */
function Duration({ from, to }: { from: string; to: string | null }) {
  const { duration } = useFormat();
  if (!to) return null;
  return <span className="hint">{duration(Math.max(0, Date.parse(to) - Date.parse(from)))}</span>;
}
