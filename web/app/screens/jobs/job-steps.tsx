import type { AgentDecision, AgentRun } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { reviewerName } from '../../parts/claimed-name.ts';
import { useFormat } from '../../parts/format.ts';
import styles from './job.module.css';

/** The steps of the pipeline and of reviewers, in order, with their decisions and provenance. */
export function JobSteps({ run }: { run: AgentRun }) {
  const t = useT();
  return (
    <ol className="rows">
      {run.steps.map((step) => (
        <li key={step.id}>
          <p className={styles.step}>
            <b translate="no">{step.name}</b>
            <span className="hint" translate="no">
              {reviewerName(step.actor, step.claimed_via, t)}
            </span>
            <span className={step.status === 'failed' ? 'badge bad' : 'badge'}>
              {t(`jobs.step_${step.status}`)}
            </span>
            <Duration from={step.started_at} to={step.completed_at} />
          </p>
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
    <div className={styles.decision}>
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
    </div>
  );
}

/** The duration of a step. */
function Duration({ from, to }: { from: string; to: string | null }) {
  const { duration } = useFormat();
  if (!to) return null;
  return <span className="hint">{duration(Math.max(0, Date.parse(to) - Date.parse(from)))}</span>;
}
