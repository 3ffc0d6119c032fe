import { type Failure, LinguaLoopError } from './errors.ts';
import {
  AuthenticationError,
  BadGatewayError,
  BadRequestError,
  ConflictError,
  GatewayTimeoutError,
  InsufficientStorageError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ServiceUnavailableError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
} from './status-errors.ts';

/** The class of each status. */
const classes: Readonly<Record<number, new (failure: Failure) => LinguaLoopError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: RequestTimeoutError,
  409: ConflictError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  422: UnprocessableContentError,
  429: RateLimitError,
  500: InternalServerError,
  502: BadGatewayError,
  503: ServiceUnavailableError,
  504: GatewayTimeoutError,
  507: InsufficientStorageError,
};

/** The error of an answer, in the class of its status. */
export function errorOfStatus(failure: Failure & { status: number }): LinguaLoopError {
  return new (classes[failure.status] ?? LinguaLoopError)(failure);
}
