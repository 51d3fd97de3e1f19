/// Details of an `AudioStreamBasicDescription`’s format; the meaning of the flags depends on the format.
public typealias AudioFormatFlags = UInt32

public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1 << 0
public let kAudioFormatFlagIsBigEndian: AudioFormatFlags = 1 << 1
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 1 << 2
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 1 << 3
public let kAudioFormatFlagIsAlignedHigh: AudioFormatFlags = 1 << 4
public let kAudioFormatFlagIsNonInterleaved: AudioFormatFlags = 1 << 5
public let kAudioFormatFlagIsNonMixable: AudioFormatFlags = 1 << 6
public let kAudioFormatFlagsAreAllClear: AudioFormatFlags = 1 << 31

public let kLinearPCMFormatFlagIsFloat: AudioFormatFlags = 1 << 0
public let kLinearPCMFormatFlagIsBigEndian: AudioFormatFlags = 1 << 1
public let kLinearPCMFormatFlagIsSignedInteger: AudioFormatFlags = 1 << 2
public let kLinearPCMFormatFlagIsPacked: AudioFormatFlags = 1 << 3
public let kLinearPCMFormatFlagIsAlignedHigh: AudioFormatFlags = 1 << 4
public let kLinearPCMFormatFlagIsNonInterleaved: AudioFormatFlags = 1 << 5
public let kLinearPCMFormatFlagIsNonMixable: AudioFormatFlags = 1 << 6
public let kLinearPCMFormatFlagsSampleFractionShift: AudioFormatFlags = 7
public let kLinearPCMFormatFlagsSampleFractionMask: AudioFormatFlags = 0x3F << 7
public let kLinearPCMFormatFlagsAreAllClear: AudioFormatFlags = 1 << 31

// Flags of Apple Lossless: the bit depth of the source audio.

public let kAppleLosslessFormatFlag_16BitSourceData: AudioFormatFlags = 1
public let kAppleLosslessFormatFlag_20BitSourceData: AudioFormatFlags = 2
public let kAppleLosslessFormatFlag_24BitSourceData: AudioFormatFlags = 3
public let kAppleLosslessFormatFlag_32BitSourceData: AudioFormatFlags = 4

// Flags for samples in the processor’s native form.

/// No flag: the lowest byte comes first.
public let kAudioFormatFlagsNativeEndian: AudioFormatFlags = 0
public let kAudioFormatFlagsNativeFloatPacked: AudioFormatFlags =
    kAudioFormatFlagIsFloat | kAudioFormatFlagsNativeEndian | kAudioFormatFlagIsPacked
public let kAudioFormatFlagsCanonical: AudioFormatFlags =
    kAudioFormatFlagIsSignedInteger | kAudioFormatFlagsNativeEndian | kAudioFormatFlagIsPacked
public let kAudioFormatFlagsAudioUnitCanonical: AudioFormatFlags =
    kAudioFormatFlagsNativeFloatPacked | kAudioFormatFlagIsNonInterleaved
