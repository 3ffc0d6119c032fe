import {
  type ComponentProps,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { DialogBusy, Form } from './form.tsx';

/**
 * Asks before an action that is hard to undo. The dialog stays open until the action is completed, and shows its error.
 * Escape and "Cancel" change nothing. At the end, the focus returns to the element that opened the dialog.
 * @param action label of the button: the action, never "OK"
 * @param isCautious whether "Cancel" has the focus first, for a dialog that may appear while the member types
 * @param isReady false while the action cannot be started yet
 * @param keep label of the button that changes nothing, if "Cancel" could be taken for the action
 */
export function ConfirmDialog({
  isCautious = false,
  keep,
  onConfirm,
  ...dialog
}: Omit<ComponentProps<typeof FormDialog>, 'onSubmit' | 'kind'> & {
  isCautious?: boolean;
  keep?: string;
  onConfirm: () => Promise<unknown>;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCautious) cancel.current?.focus();
  }, [isCautious]);
  return <FormDialog {...dialog} kind="danger" cancel={keep} cancelRef={cancel} onSubmit={onConfirm} />;
}

/** A dialog with a form. It closes after the form was sent. */
export function FormDialog({
  title,
  isWide,
  onSubmit,
  onClose,
  ...form
}: Omit<ComponentProps<typeof Form>, 'onCancel'> & {
  title: ReactNode;
  isWide?: boolean;
  onClose: () => void;
}) {
  const submit = async () => {
    await onSubmit();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose} {...(isWide && { isWide })}>
      <Form {...form} onSubmit={submit} onCancel={onClose} />
    </Dialog>
  );
}

/**
 * A modal dialog with a heading.
 * @param isWide for a form with fields next to each other
 * @param isBusy disables Escape, as does a form in the dialog while it is being sent
 */
export function Dialog({
  title,
  className,
  isWide = false,
  onClose,
  isBusy = false,
  children,
}: {
  title: ReactNode;
  className?: string | undefined;
  isWide?: boolean;
  onClose: () => void;
  isBusy?: boolean;
  children: ReactNode;
}) {
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const isSending = useRef(false);
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
    if (!isBusy && !isSending.current) onClose();
    else if (!element.open) element.showModal();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={className}
      style={isWide ? { inlineSize: 'min(40rem, 94vw)', maxInlineSize: 'none' } : undefined}
      onCancel={end}
      onClose={end}
    >
      <h2 id={heading}>{title}</h2>
      <DialogBusy value={isSending}>{children}</DialogBusy>
    </dialog>
  );
}
