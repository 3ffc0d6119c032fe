import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router.ts';

// Types of procedures that only the web application calls. They are not published.
type Inputs = inferRouterInputs<AppRouter>['terminology'];
type Outputs = inferRouterOutputs<AppRouter>['terminology'];

/** The glossary whose terms to list, with their order. */
export type TermsQuery = Inputs['terms'];
/** A term to add; with `entry_no`, at the place of a deleted one. */
export type AddTermRequest = Inputs['addTerm'];
/** A term as a member enters it. */
export type TermInput = AddTermRequest['term'];
/** The added term, and other translations that the glossary has for it. */
export type AddedTerm = Outputs['addTerm'];
/** A term as the member saw it, and the term that replaces it. */
export type UpdateTermRequest = Inputs['updateTerm'];
/** The term after the change. */
export type UpdatedTerm = Outputs['updateTerm'];
/** A term as the member saw it. */
export type DeleteTermRequest = Inputs['deleteTerm'];
/** The glossary without the term. */
export type DeletedTerm = Outputs['deleteTerm'];
/** Several texts of a language pair. */
export type TermsOfTextsRequest = Inputs['matchesOfTexts'];
/** The glossary terms of each text. */
export type TermsOfTexts = Outputs['matchesOfTexts'];
/** The number of terms of a glossary for each language pair. */
export type TermPairs = Outputs['pairs'];
