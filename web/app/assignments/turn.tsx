import { UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { type MessageId, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Fill, Row } from '../kit/box.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { TextArea } from '../kit/field.tsx';
import { announce } from '../parts/announcer.tsx';
import { isolated } from '../parts/language-text.tsx';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { AssignDialog } from './assign-dialog.tsx';
import styles from './assignments.module.css';
import { type Item, useAssignments, useReload } from './assignments.ts';
import { service } from './colleagues.ts';
import { Due } from './due.tsx';
import { Refused, type ShownRefusal, shownRefusal, useAssign } from './use-assign.tsx';

/**
 * Whose turn an item is: a line in the editor with its reviewers, due date and comment, what to do next, and the actions:
 * take it, pass it to the second review or back. An unassigned item without a second review has no line.
 * @param store stores what the member has typed, before the item is passed on
 */
export function Turn({
  item,
  store,
  firstAsked,
}: {
  item: Item;
  store: () => Promise<unknown>;
  /** The field of the dialog that is open first; undefined without a dialog. */
  firstAsked: 'first' | 'due' | undefined;
}) {
  const t = useT();
  const me = useMe();
  const { data: [assignment] = [] } = useAssignments([item]);
  const { assign, toast } = useAssign();
  const [asked, setAsked] = useState(firstAsked);
  const [refusal, setRefusal] = useState<ShownRefusal>();
  // As it was when the dialog was opened: what the member confirms must not change.
  const [passed, setPassed] = useState<Assignment>();
  useCommands({ assign: () => setAsked('first'), setDue: () => setAsked('due') });
  const user = me.data?.user;
  if (!assignment || !user) return null;
  const { assignee, second, step, four_eyes: isTwice, due_at, comment, assigned_by } = assignment;
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const holder = step === 'second' ? second : assignee;
  const isMine = holder?.user_id === user.user_id;
  const mayPass = isTwice && (isMine || isAdmin) && !(step === 'first' && second?.user_id === user.user_id);
  const other = step === 'second' ? assignee : second;
  // A second review needs two different members.
  const mayTakeOver = (isAdmin || (holder === null && step === 'first')) && other?.user_id !== user.user_id;
  const take = async () => {
    const change = step === 'second' ? { second: user.user_id } : { assignee: user.user_id };
    const [refused] = await assign([{ items: [assignment], change }]);
    setRefusal(refused && shownRefusal(refused, [assignment]));
  };
  return (
    <>
      {(assignee || isTwice || due_at) && (
        <div className={styles['turn']}>
          <b>{t(stepName(assignment, isMine), { name: isolated(holder?.name ?? '') })}</b>
          {due_at && <Due at={due_at} />}
          {isTwice && step === 'first' && (isMine || isAdmin) && (
            <span>
              {second
                ? t('assignments.next_pass', { name: isolated(second.name) })
                : t('assignments.next_pass_any')}
            </span>
          )}
          {comment && (
            <bdi>
              {assigned_by ? `${assigned_by.name}: ` : ''}
              {comment}
            </bdi>
          )}
          <Fill />
          <Row gap={1}>
            {!isMine && mayTakeOver && (
              <ActionButton className="small" onRun={take}>
                {t(holder ? 'assignments.take_over' : 'assignments.take')}
              </ActionButton>
            )}
            {mayPass && (
              <button type="button" className="small primary" onClick={() => setPassed(assignment)}>
                {t(step === 'first' ? 'assignments.pass' : 'assignments.pass_back')}
              </button>
            )}
            <button type="button" className="small ghost" onClick={() => setAsked('first')}>
              <UserRoundPlus size={15} aria-hidden /> {t('assignments.assign_dots')}
            </button>
          </Row>
          <Refused refusal={refusal} />
        </div>
      )}
      {asked && (
        <AssignDialog items={[item]} focus={asked} assign={assign} onClose={() => setAsked(undefined)} />
      )}
      {passed && <PassDialog assignment={passed} store={store} onClose={() => setPassed(undefined)} />}
      {toast}
    </>
  );
}

function stepName({ assignee, second, step }: Assignment, isMine: boolean): MessageId {
  if (step === 'second') {
    if (second === null) return 'assignments.turn_second_any';
    return isMine ? 'assignments.turn_second_mine' : 'assignments.turn_second';
  }
  if (assignee === null) return 'assignments.turn_unassigned';
  return isMine ? 'assignments.turn_mine' : 'assignments.turn_first';
}

/** Passes an item to the second review or back, with a comment for the other reviewer. */
function PassDialog({
  assignment: { kind, id, version, step, second, assignee },
  store,
  onClose,
}: {
  assignment: Assignment;
  store: () => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  const reload = useReload();
  const [comment, setComment] = useState('');
  const isBack = step === 'second';
  const action = t(isBack ? 'assignments.pass_back' : 'assignments.pass');
  const other = isBack ? assignee : second;
  const pass = async () => {
    await store();
    await service.pass({ kind, id, version, back: isBack, ...(comment.trim() && { comment }) });
    await reload();
    announce(t(isBack ? 'assignments.passed_back' : 'assignments.passed'));
  };
  return (
    <FormDialog title={action} action={action} onSubmit={pass} onClose={onClose}>
      <p>
        {other
          ? t(isBack ? 'assignments.pass_back_why' : 'assignments.pass_why', { name: isolated(other.name) })
          : t('assignments.pass_why_any')}
      </p>
      <TextArea
        label={t('assignments.comment')}
        rows={3}
        maxLength={2000}
        value={comment}
        onValue={setComment}
      />
    </FormDialog>
  );
}
