import { LinguaLoopError } from './errors.ts';

/** 400. The request is malformed, or the state of the resource does not allow it. */
export class BadRequestError extends LinguaLoopError {
  static {
    BadRequestError.prototype.name = 'BadRequestError';
  }

  /** The HTTP status. */
  declare readonly status: 400;
}

/**
 * 401. There is no valid credential, or a step of a sign-in failed. If the client has no credential at all, it sends
 * nothing and `answeredBy` is null.
 */
export class AuthenticationError extends LinguaLoopError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError';
  }

  /** The HTTP status. */
  declare readonly status: 401;
}

/** 402. The workspace cannot start translations that are billed: it needs a subscription, or its trial is used up. */
export class PaymentRequiredError extends LinguaLoopError {
  static {
    PaymentRequiredError.prototype.name = 'PaymentRequiredError';
  }

  /** The HTTP status. */
  declare readonly status: 402;
}

/** 403. The credential is valid, but it does not permit the request. */
export class PermissionDeniedError extends LinguaLoopError {
  static {
    PermissionDeniedError.prototype.name = 'PermissionDeniedError';
  }

  /** The HTTP status. */
  declare readonly status: 403;
}

/** 404. The resource does not exist, or is not visible to the caller's credential. */
export class NotFoundError extends LinguaLoopError {
  static {
    NotFoundError.prototype.name = 'NotFoundError';
  }

  /** The HTTP status. */
  declare readonly status: 404;
}

/** 405. The route does not support this method. */
export class MethodNotAllowedError extends LinguaLoopError {
  static {
    MethodNotAllowedError.prototype.name = 'MethodNotAllowedError';
  }

  /** The HTTP status. */
  declare readonly status: 405;
}

/** 408. The service waited too long for the request to arrive. */
export class RequestTimeoutError extends LinguaLoopError {
  static {
    RequestTimeoutError.prototype.name = 'RequestTimeoutError';
  }

  /** The HTTP status. */
  declare readonly status: 408;
}

/** 409. The request conflicts with the current state of the resource, or a capability is not enabled. */
export class ConflictError extends LinguaLoopError {
  static {
    ConflictError.prototype.name = 'ConflictError';
  }

  /** The HTTP status. */
  declare readonly status: 409;
}

/** 413. A body, text or batch exceeds a limit. */
export class PayloadTooLargeError extends LinguaLoopError {
  static {
    PayloadTooLargeError.prototype.name = 'PayloadTooLargeError';
  }

  /** The HTTP status. */
  declare readonly status: 413;
}

/** 415. The type of a file is not accepted. */
export class UnsupportedMediaTypeError extends LinguaLoopError {
  static {
    UnsupportedMediaTypeError.prototype.name = 'UnsupportedMediaTypeError';
  }

  /** The HTTP status. */
  declare readonly status: 415;
}

/** 422. Values in the request are invalid. `detail` may be an array with an entry for each field. */
export class UnprocessableContentError extends LinguaLoopError {
  static {
    UnprocessableContentError.prototype.name = 'UnprocessableContentError';
  }

  /** The HTTP status. */
  declare readonly status: 422;
}

/** 429. The caller sent too many requests, the service has no free capacity, or the monthly allowance is used up. */
export class RateLimitError extends LinguaLoopError {
  static {
    RateLimitError.prototype.name = 'RateLimitError';
  }

  /** The HTTP status. */
  declare readonly status: 429;
}

/** 500. The service failed unexpectedly. Report it with the `requestId`. */
export class InternalServerError extends LinguaLoopError {
  static {
    InternalServerError.prototype.name = 'InternalServerError';
  }

  /** The HTTP status. */
  declare readonly status: 500;
}

/** 502. A dependency of the service failed, or a proxy could not reach the service. */
export class BadGatewayError extends LinguaLoopError {
  static {
    BadGatewayError.prototype.name = 'BadGatewayError';
  }

  /** The HTTP status. */
  declare readonly status: 502;
}

/** 503. A dependency of the service is temporarily unavailable, or a capability is disabled. */
export class ServiceUnavailableError extends LinguaLoopError {
  static {
    ServiceUnavailableError.prototype.name = 'ServiceUnavailableError';
  }

  /** The HTTP status. */
  declare readonly status: 503;
}

/** 504. A stage exceeded its time limit, or a proxy stopped waiting for the service. */
export class GatewayTimeoutError extends LinguaLoopError {
  static {
    GatewayTimeoutError.prototype.name = 'GatewayTimeoutError';
  }

  /** The HTTP status. */
  declare readonly status: 504;
}

/** 507. The limit of the tenant's platform storage is reached. */
export class InsufficientStorageError extends LinguaLoopError {
  static {
    InsufficientStorageError.prototype.name = 'InsufficientStorageError';
  }

  /** The HTTP status. */
  declare readonly status: 507;
}
