import { Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { isKey } from '../keys/match-key.ts';
import { announce } from '../parts/announcer.tsx';
import styles from '../parts/dark-bar.module.css';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';

/** Milliseconds for which the undo is offered, from the last change. */
const offeredFor = 10_000;

/**
 * Offers to undo a change, such as the deletion of terms, also with Ctrl+Z (⌘Z) outside of text fields and dialogs. The time stops while the
 * pointer or the focus is on the message.
 */
export function UndoToast({
  change,
  done,
  onUndo,
  onOver,
}: {
  /** Another value for each change. */
  change: unknown;
  /** The message about the change. */
  done: string;
  /** Returns what the undo has done. Undefined if the change cannot be undone. */
  onUndo: (() => Promise<string>) | undefined;
  onOver: () => void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [isHeld, setHeld] = useState(false);
  const before = useRef<EventTarget | null>(null);
  const isKept = isHeld || isBusy || error !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change starts the time again
  useEffect(() => {
    if (isKept) return;
    const timer = setTimeout(onOver, offeredFor);
    return () => clearTimeout(timer);
  }, [isKept, change]);
  const undo = run(async () => {
    if (onUndo) announce(await onUndo());
    // The button that has the focus is gone.
    if (before.current instanceof HTMLElement) before.current.focus();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isKey(event, 'Mod+z') || (event.target as Element).matches('input, textarea, select')) return;
      // An open dialog gets all keys.
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      void undo();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only stop the time
    <div
      className={styles['bar']}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={({ relatedTarget }) => {
        before.current = relatedTarget;
        setHeld(true);
      }}
      onBlur={() => setHeld(false)}
    >
      <span role="status">{done}</span>
      {onUndo && (
        <button type="button" aria-disabled={isBusy} onClick={undo}>
          <Undo2 size={15} aria-hidden /> {t('editor.undo')} <CommandKey id="undoDecision" />
        </button>
      )}
      {error ? <Problem error={error} /> : null}
    </div>
  );
}
