import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { Problem } from './problem.tsx';

/**
 * Asks before something that is hard to undo. It stays open until the work is completed, and shows an error; Escape and
 * "Cancel" change nothing. The focus returns to the opening element.
 * @param action label of the button: the action, never "OK"
 * @param isCautious whether "Cancel" has the focus, because the dialog may appear during typing
 * @param isReady whether there is something to do yet
 */
export function ConfirmDialog({
  title,
  action,
  isCautious = false,
  isReady = true,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  action: string;
  isCautious?: boolean;
  isReady?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
}) {
  const t = useT();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCautious) cancel.current?.focus();
  }, [isCautious]);
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} isBusy={isBusy}>
      {children}
      {error ? <Problem error={error} /> : null}
      <div className="actions">
        <button type="button" className="danger" disabled={isBusy || !isReady} onClick={() => void confirm()}>
          {action}
        </button>
        <button ref={cancel} type="button" disabled={isBusy} onClick={onClose}>
          {t('common.cancel')}
        </button>
      </div>
    </Dialog>
  );
}

/** A modal dialog with a heading. @param isBusy whether Escape is disabled */
export function Dialog({
  title,
  className,
  onClose,
  isBusy = false,
  children,
}: {
  title: ReactNode;
  className?: string | undefined;
  onClose: () => void;
  isBusy?: boolean;
  children: ReactNode;
}) {
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Before the dialog leaves the document: only closing it restores the focus.
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={className}
      onCancel={(event) => {
        // React also passes events of a dialog above this one, after which this one must stay open.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!isBusy) onClose();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
