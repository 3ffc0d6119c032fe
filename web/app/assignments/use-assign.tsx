import { type ReactNode, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { Assignment, AssignmentOutcome, AssignRequest } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { Text } from '../kit/text.tsx';
import { UndoToast } from '../kit/toast.tsx';
import darkBar from '../parts/dark-bar.module.css';
import { isolated } from '../parts/language-text.tsx';
import { proved } from '../session/proof.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { itemKey, maxItems, useReload } from './assignments.ts';
import { service } from './colleagues.ts';

/** A change of assignments. A field that is left out stays. */
export type Change = Omit<AssignRequest, 'items'>;

/** An item whose change the service rejected, with its present assignee. */
export type Refusal = Extract<AssignmentOutcome, { outcome: 'refused' }>;

/** Assignments before their change, and the version that the change gave them. */
interface Changed {
  before: Assignment;
  version: number;
}

/**
 * Changes assignments, and offers to undo it for 10 s. The service rejects items that someone else has changed since
 * they were read.
 * @returns `assign` resolves to the rejected items; `toast` must be shown
 */
export function useAssign(): {
  assign: (changes: readonly { items: readonly Assignment[]; change: Change }[]) => Promise<Refusal[]>;
  toast: ReactNode;
} {
  const t = useT();
  const me = useMe();
  const reload = useReload();
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const ownId = me.data?.user.user_id;
  const [done, setDone] = useState<{ changed: readonly Changed[]; said: string; isFinal: boolean }>();
  const assign = async (changes: readonly { items: readonly Assignment[]; change: Change }[]) => {
    const changed: Changed[] = [];
    const refused: Refusal[] = [];
    try {
      for (const { items, change } of changes)
        for (const part of partsOf(items)) {
          const sent = part.map(({ kind, id, version }) => ({ kind, id, version }));
          const results = await proved(() => service.assign({ ...change, items: sent }));
          results.forEach((result, index) => {
            if (result.outcome === 'refused') refused.push(result);
            else changed.push({ before: part[index] as Assignment, version: result.version });
          });
        }
    } finally {
      const [first] = changes;
      if (changed.length > 0)
        setDone({
          changed,
          said: t(wordOf(first?.change), { count: changed.length }),
          // A member cannot change what is assigned to someone else now.
          isFinal: !isAdmin && changes.some(({ change }) => change.assignee && change.assignee !== ownId),
        });
      await reload();
    }
    return refused;
  };
  const undo = async (changed: readonly Changed[]) => {
    let left = 0;
    const groups = Map.groupBy(changed, ({ before }) => JSON.stringify(formerOf(before, isAdmin)));
    for (const part of [...groups.values()].flatMap((group) => partsOf(group))) {
      const items = part.map(({ before: { kind, id }, version }) => ({ kind, id, version }));
      const results = await proved(() =>
        service.assign({ ...formerOf((part[0] as Changed).before, isAdmin), items }),
      );
      left += results.filter(({ outcome }) => outcome === 'refused').length;
    }
    setDone(undefined);
    await reload();
    return left > 0 ? t('assignments.undone_but', { left }) : t('assignments.undone');
  };
  return {
    assign,
    toast: done && (
      <div className={darkBar['fixed']}>
        <UndoToast
          change={done}
          done={done.said}
          onUndo={done.isFinal ? undefined : () => undo(done.changed)}
          onOver={() => setDone(undefined)}
        />
      </div>
    ),
  };
}

/** Divides items into those of single requests. */
function partsOf<T>(items: readonly T[], size = maxItems): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}

/** Whether no response arrived, so that the change may have been made or not. */
export function isUnknown(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.status === null;
}

/** Maximum number of items that are read at once. */
const maxRead = 100;

/** Returns items as they are now. Those that do not await review any longer are left out. */
export async function readAgain(items: readonly Assignment[]): Promise<Assignment[]> {
  const pages = partsOf(items, maxRead).map((part) =>
    service.listPage({ items: part.map(({ kind, id }) => ({ kind, id })) }),
  );
  return (await Promise.all(pages)).flatMap((page) => page.items);
}

function wordOf(change: Change | undefined) {
  if (change?.assignee === undefined) return 'assignments.said_changed';
  return change.assignee === null ? 'assignments.said_unassigned' : 'assignments.said_assigned';
}

/** The change that restores an assignment. */
function formerOf({ assignee, second, four_eyes, due_at }: Assignment, isAdmin: boolean): Change {
  return {
    assignee: assignee?.user_id ?? null,
    ...(isAdmin && { due_at }),
    // A second review without a reviewer cannot be restored as such: it stays as it is.
    ...(isAdmin && (second !== null || !four_eyes) && { second: second?.user_id ?? null }),
  };
}

/** A rejection, and whether someone else had changed the item after it was read. */
export type ShownRefusal = Refusal & { isOvertaken: boolean };

/** @param items the items as they were read */
export function shownRefusal(refusal: Refusal, items: readonly Assignment[]): ShownRefusal {
  const read = items.find((item) => itemKey(item) === itemKey(refusal));
  return { ...refusal, isOvertaken: read !== undefined && read.version !== refusal.version };
}

/** Why an item was rejected: the present assignee, if someone else has changed it. */
export function Refused({ refusal }: { refusal: ShownRefusal | undefined }) {
  const t = useT();
  if (!refusal) return null;
  return (
    <Text as="div" role="alert" tone="warn" weight="medium">
      {!refusal.isOvertaken ? (
        <bdi lang="en">{refusal.detail}</bdi>
      ) : refusal.assignee ? (
        t('assignments.now_assigned', { name: isolated(refusal.assignee.name) })
      ) : (
        t('assignments.now_unassigned')
      )}
    </Text>
  );
}
