import { mfaCases } from './auth/mfa.ts';
import { signInCases } from './auth/sign-in.ts';
import { ssoCases } from './auth/sso.ts';
import { tokenCases } from './auth/tokens.ts';
import type { Cases } from './case.ts';

export const authCases: Cases = { ...signInCases, ...tokenCases, ...mfaCases, ...ssoCases };
