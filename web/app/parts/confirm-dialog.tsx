import {
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useT } from '../i18n.tsx';
import { Problem } from './problem.tsx';

/**
 * Asks before an action that is hard to undo. The dialog stays open until the action is completed, and shows its error.
 * Escape and "Cancel" change nothing. At the end, the focus returns to the element that opened the dialog.
 * @param action label of the button: the action, never "OK"
 * @param isCautious whether "Cancel" has the focus first, for a dialog that may appear while the member types
 * @param isReady false while the action cannot be started yet
 * @param keep label of the button that changes nothing, if "Cancel" could be taken for the action
 */
export function ConfirmDialog({
  title,
  action,
  isCautious = false,
  isReady = true,
  keep,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  action: string;
  isCautious?: boolean;
  isReady?: boolean;
  keep?: string;
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
          {keep ?? t('common.cancel')}
        </button>
      </div>
    </Dialog>
  );
}

/** The buttons at the end of the form of a dialog: one that sends the form, and "Cancel". */
export function FormActions({
  action,
  kind = 'primary',
  isBusy,
  isReady = true,
  onClose,
}: {
  /** The label of the button that sends the form. */
  action: string;
  kind?: 'primary' | 'danger';
  isBusy: boolean;
  isReady?: boolean;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <div className="actions">
      <button type="submit" className={kind} disabled={isBusy || !isReady}>
        {action}
      </button>
      <button type="button" disabled={isBusy} onClick={onClose}>
        {t('common.cancel')}
      </button>
    </div>
  );
}

/** A modal dialog with a heading. @param isBusy disables Escape */
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
    // The dialog is closed before React removes it: only closing a dialog restores the focus.
    return () => opened?.close();
  }, []);
  // Browsers close a dialog at the second Escape in a row, whatever was done at the first one.
  const end = (event: SyntheticEvent<HTMLDialogElement>) => {
    const element = event.currentTarget;
    // React also passes events of a dialog that was opened from this one. This one must then stay open.
    if (event.target !== element || !element.isConnected) return;
    event.preventDefault();
    if (!isBusy) onClose();
    else if (!element.open) element.showModal();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} className={className} onCancel={end} onClose={end}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
