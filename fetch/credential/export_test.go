package credential

// Forbidden is for tests, which cannot be another user.
var Forbidden = forbidden
