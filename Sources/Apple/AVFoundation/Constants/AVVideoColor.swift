// Keys of `AVVideoColorPropertiesKey`, and their values. Core Video’s attachments have the same values.

public let AVVideoColorPrimariesKey: String = "ColorPrimaries"
public let AVVideoTransferFunctionKey: String = "TransferFunction"
public let AVVideoYCbCrMatrixKey: String = "YCbCrMatrix"

public let AVVideoColorPrimaries_ITU_R_709_2: String = "ITU_R_709_2"
public let AVVideoColorPrimaries_EBU_3213: String = "EBU_3213"
public let AVVideoColorPrimaries_SMPTE_C: String = "SMPTE_C"
public let AVVideoColorPrimaries_P3_D65: String = "P3_D65"
public let AVVideoColorPrimaries_ITU_R_2020: String = "ITU_R_2020"

public let AVVideoTransferFunction_ITU_R_709_2: String = "ITU_R_709_2"
public let AVVideoTransferFunction_SMPTE_240M_1995: String = "SMPTE_240M_1995"
public let AVVideoTransferFunction_SMPTE_ST_2084_PQ: String = "SMPTE_ST_2084_PQ"
public let AVVideoTransferFunction_ITU_R_2100_HLG: String = "ITU_R_2100_HLG"
public let AVVideoTransferFunction_Linear: String = "Linear"
public let AVVideoTransferFunction_IEC_sRGB: String = "IEC_sRGB"

public let AVVideoYCbCrMatrix_ITU_R_709_2: String = "ITU_R_709_2"
public let AVVideoYCbCrMatrix_ITU_R_601_4: String = "ITU_R_601_4"
public let AVVideoYCbCrMatrix_SMPTE_240M_1995: String = "SMPTE_240M_1995"
public let AVVideoYCbCrMatrix_ITU_R_2020: String = "ITU_R_2020"
