import { Link } from '@tanstack/react-router';
import { AlarmClock } from 'lucide-react';
import type { FileView } from '#sdk/file-types.ts';
import type { Assignment } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Avatar } from '../../kit/avatar.tsx';
import { Row } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import styles from './files.module.css';
import { isApproved, stateOf } from './files.ts';
import { Running } from './running.tsx';
import type { Progress } from './search.ts';

/** The translations of a file: each with its status and progress, as a link to the editor. */
export function LanguageChips({
  translations,
  progress,
  assignments,
}: {
  translations: readonly FileView[];
  progress: ReadonlyMap<string, Progress>;
  /** By the ID of the translation. */
  assignments: ReadonlyMap<string, Assignment>;
}) {
  return (
    <Row as="ul" gap={1}>
      {translations.map((file) => (
        <li key={file.id}>
          <LanguageChip file={file} progress={progress.get(file.id)} assignment={assignments.get(file.id)} />
        </li>
      ))}
    </Row>
  );
}

function LanguageChip({
  file,
  progress,
  assignment,
}: {
  file: FileView;
  progress: Progress | undefined;
  assignment: Assignment | undefined;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { number } = useFormat();
  const state = stateOf(progress ? { ...file, status: progress.status } : file);
  const mark = markOf(file);
  const waiting = progress ? progress.waiting : file.waiting;
  return (
    <Link
      to="/app/edit/documents/$documentId"
      params={{ documentId: file.id }}
      className={styles.language}
      title={t('documents.pair', { from: nameOf(file.source_lang), to: nameOf(file.target_lang) })}
    >
      {state === 'translating' ? <Running size={13} /> : <StatusMark status={mark} size={13} />}
      {nameOf(file.target_lang)}
      {state === 'translating' && (
        <b>{t('documents.percent', { percent: (progress?.percent ?? 0) / 100 })}</b>
      )}
      {state === 'needs_review' && (
        <b>
          {number(file.confirmed)}/{number(file.segments)}
        </b>
      )}
      <span className="visually-hidden">
        {state === 'needs_review' ? t(`documents.mark_${mark}`) : t(`documents.state_${state}`)}
      </span>
      {file.changed_since_approval !== null && <b>{t('documents.changed_after')}</b>}
      <Assignee of={assignment} />
      {state === 'translating' && waiting && <Text tone="warn">{t('documents.held_up')}</Text>}
    </Link>
  );
}

/** The member who reviews a translation next, and whether it is overdue. */
function Assignee({ of: assignment }: { of: Assignment | undefined }) {
  const t = useT();
  const { moment } = useFormat();
  const holder = assignment?.step === 'second' ? assignment.second : assignment?.assignee;
  if (!assignment || !holder) return null;
  const due = assignment.due_at === null ? '' : `, ${moment(assignment.due_at)}`;
  return (
    <>
      <span title={`${holder.name}${due}`} aria-hidden>
        <Avatar name={holder.name} isSmall />
      </span>
      {assignment.is_overdue && <AlarmClock size={13} aria-hidden color="var(--apricot-strong)" />}
      <span className="visually-hidden">
        {t('inbox.holders')} <bdi>{holder.name}</bdi>
        {due}
      </span>
    </>
  );
}

type Mark = Exclude<Status, 'rejected'>;

function markOf(file: FileView): Mark {
  if (isApproved(file)) return 'confirmed';
  if (file.status === 'failed' || file.critical > 0) return 'critical';
  if (file.flagged > 0 || file.approved_at !== null) return 'warning';
  if (file.confirmed === file.segments) return 'confirmed';
  return file.confirmed > 0 ? 'draft' : 'todo';
}
