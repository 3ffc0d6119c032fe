import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { fieldProblem } from '../../parts/problem.tsx';
import type { Me } from '../../session/use-me.ts';

/**
 * The proof of identity that changes of API keys require: an authenticator code; for members without an authenticator,
 * their password.
 */
export function useProof({ user }: Me) {
  const [value, setValue] = useState('');
  const name = user.totp_enrolled ? ('mfa_code' as const) : ('password' as const);
  return {
    name,
    value,
    setValue,
    /** The field of a request. */
    field: { [name]: name === 'mfa_code' ? value.trim() : value },
    clear: () => setValue(''),
  };
}

export function ProofField({ of, error }: { of: ReturnType<typeof useProof>; error: unknown }) {
  const t = useT();
  const shared = {
    required: true,
    problem: fieldProblem(error, of.name),
    value: of.value,
    onValue: of.setValue,
  };
  return of.name === 'mfa_code' ? (
    <Field {...shared} label={t('security.proof_code')} autoComplete="one-time-code" inputMode="numeric" />
  ) : (
    <PasswordField {...shared} label={t('security.proof_password')} autoComplete="current-password" />
  );
}
