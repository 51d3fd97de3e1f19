/// Apple’s name for a part of what `AVFoundation` here holds: the same declarations.
@_exported public import AVFoundation
