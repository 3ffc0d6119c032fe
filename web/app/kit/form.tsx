import { createContext, type ReactNode, type Ref, type RefObject, use, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { fieldProblem, Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { Stack } from './box.tsx';
import { FormError } from './field.tsx';

/** Whether the dialog around a form must stay open, because the form is being sent. */
export const DialogBusy = createContext<RefObject<boolean>>({ current: false });

/** The state of a form for its parts. */
export interface FormState {
  error: unknown;
  isBusy: boolean;
}

/**
 * A form with its error and its buttons. Another submission before the end of the first does nothing; its button keeps
 * the focus. The service's message about a value is shown at the field with its `name`, other errors above the buttons.
 * @param action label of the button that sends the form
 * @param onSubmit the form shows what it throws
 * @param problem shows an error in another way; null for the usual way
 * @param others more buttons, after the one that sends the form
 * @param onCancel adds "Cancel", or a button with the label `cancel`
 */
export function Form({
  action,
  kind = 'primary',
  gap = 4,
  isReady = true,
  onSubmit,
  problem,
  others,
  onCancel,
  cancel,
  cancelRef,
  children,
}: {
  action: ReactNode;
  kind?: 'primary' | 'danger';
  gap?: 2 | 3 | 4;
  isReady?: boolean;
  onSubmit: () => Promise<unknown>;
  problem?: (error: unknown) => ReactNode;
  others?: ReactNode | ((state: FormState) => ReactNode);
  onCancel?: (() => void) | undefined;
  cancel?: string | undefined;
  cancelRef?: Ref<HTMLButtonElement>;
  children?: ReactNode | ((state: FormState) => ReactNode);
}) {
  const t = useT();
  const form = useRef<HTMLFormElement>(null);
  const dialog = use(DialogBusy);
  const [isAtField, setAtField] = useState(false);
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    if (!isReady) return;
    dialog.current = true;
    try {
      await onSubmit();
    } catch (thrown) {
      setAtField(hasField(form.current, thrown));
      throw thrown;
    } finally {
      dialog.current = false;
    }
  });
  const state = { error, isBusy };
  const shown = (part: ReactNode | ((of: FormState) => ReactNode)) =>
    typeof part === 'function' ? part(state) : part;
  return (
    <FormError value={error}>
      <Stack as="form" gap={gap} ref={form} onSubmit={submit}>
        {shown(children)}
        {error !== undefined && !isAtField && (problem?.(error) ?? <Problem error={error} />)}
        <div className="actions">
          <button type="submit" className={kind} aria-disabled={isBusy || !isReady}>
            {action}
          </button>
          {shown(others)}
          {onCancel && (
            <button ref={cancelRef} type="button" disabled={isBusy} onClick={onCancel}>
              {cancel ?? t('common.cancel')}
            </button>
          )}
        </div>
      </Stack>
    </FormError>
  );
}

/** Whether a field of the form shows the error. */
function hasField(form: HTMLFormElement | null, error: unknown): boolean {
  return [...(form?.elements ?? [])].some(
    (field) => 'name' in field && field.name !== '' && fieldProblem(error, String(field.name)),
  );
}
