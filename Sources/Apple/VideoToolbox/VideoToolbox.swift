/// Re-exports this package’s `AVFoundation` under another of Apple’s names.
@_exported public import AVFoundation
