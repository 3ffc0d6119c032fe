import type { TranslationJob } from '#sdk/types.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import styles from './panes.module.css';

/** The state of a translation, as its mark shows it. */
export type RunState = 'running' | 'published' | 'waiting' | 'critical' | 'failed';

const marks: Record<Exclude<RunState, 'running'>, Status> = {
  published: 'confirmed',
  waiting: 'warning',
  critical: 'critical',
  failed: 'critical',
};

const names: Record<RunState, MessageId> = {
  running: 'translate.translating',
  published: 'jobs.status_published',
  waiting: 'jobs.status_awaiting_review',
  critical: 'translate.state_critical',
  failed: 'jobs.status_failed',
};

/** The state of a job's translation. A translation with a critical issue differs from others that await review. */
export function stateOfJob({ status, agent_run: run }: TranslationJob): RunState {
  if (status === 'published' || status === 'human_edited') return 'published';
  if (status === 'failed' || status === 'rejected' || status === 'persistence_failed') return 'failed';
  if (status !== 'awaiting_review' && status !== 'refined') return 'running';
  return run.quality_gate?.triggers.some(({ code }) => code === 'critical_issue') ? 'critical' : 'waiting';
}

/** The shape of a state, or a spinner; the state is also there as text, for screen readers. */
export function RunMark({ state, size = 14 }: { state: RunState; size?: number }) {
  const t = useT();
  return (
    <>
      {state === 'running' ? <Spinner size={size} /> : <StatusMark status={marks[state]} size={size} />}
      <span className="visually-hidden">{t(names[state])}</span>
    </>
  );
}

export function Spinner({ size }: { size: number }) {
  return (
    <svg
      aria-hidden="true"
      className={styles.spinner}
      style={{ flex: 'none', color: 'var(--petrol)' }}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
    >
      <circle cx="8" cy="8" r="5.8" stroke="var(--line-2)" strokeWidth="2" />
      <path d="M8 2.2a5.8 5.8 0 0 1 5.8 5.8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
